// Which process writes the copy of a log on HDFS when two try to.
#include "hdfs/log_copy.hpp"

#include "core/files.hpp"
#include "support/hdfs_imposter.hpp"
#include "support/loop.hpp"
#include "support/temp_dir.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace ydl::hdfs {
namespace {

constexpr const char* kPath = "/user/alice/events.jsonl";

net::Async<bool> answer(core::Result<bool> taken) {
  co_return taken;
}

class SharedLog : public testing::Test {
 protected:
  // Copies a log of one line. `taken` has, for each call, whether another process writes the copy.
  core::Result<> copy(std::vector<core::Result<bool>> taken) {
    EXPECT_TRUE(core::write_file_atomically(directory_.path() / "events", "one\n", 0600));
    FileSystem fs(loop_.executor(), imposter_.options());
    LogCopy::Options options{
        .from = directory_.path() / "events", .to = kPath, .on_trouble = [](const core::Error&) {}};
    options.is_taken = [this, taken] { return answer(taken.at(std::min(asked_++, taken.size() - 1))); };
    const auto log = std::make_shared<LogCopy>(loop_.executor(), fs, options);
    log->start();
    const auto finished = loop_.run(log->finish(core::Seconds(20)));
    log->cancel();
    fs.close();
    loop_.settle();
    return finished;
  }

  test::TempDir directory_;
  test::Loop loop_;
  test::HdfsImposter imposter_{loop_.executor()};
  std::size_t asked_ = 0;
};

TEST_F(SharedLog, is_copied_by_the_process_that_was_not_replaced) {
  EXPECT_TRUE(copy({false}));
  EXPECT_EQ(imposter_.content(kPath), "one\n");
  EXPECT_EQ(asked_, 2U) << "before and after the file was opened";
}

TEST_F(SharedLog, is_left_alone_by_a_process_that_was_replaced) {
  EXPECT_FALSE(copy({true}));
  EXPECT_EQ(imposter_.content(kPath), std::nullopt);
}

// The other one was there after the first question, and has the lease after its own opening.
TEST_F(SharedLog, gets_no_byte_of_a_process_that_was_replaced_while_it_opened_the_file) {
  EXPECT_FALSE(copy({false, true}));
  EXPECT_EQ(imposter_.content(kPath).value_or(""), "");
}

TEST_F(SharedLog, waits_until_it_is_known_whether_it_was_taken) {
  EXPECT_TRUE(copy({core::fail(core::Errc::unavailable, "no NameNode"), false}));
  EXPECT_EQ(imposter_.content(kPath), "one\n");
}

}  // namespace
}  // namespace ydl::hdfs

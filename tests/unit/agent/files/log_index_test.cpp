#include "agent/files/log_index.hpp"

#include "core/files.hpp"
#include "support/temp_dir.hpp"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

namespace ydl::agent {
namespace {

using core::Instant;
using core::Millis;
using core::WallTime;
using testing::ElementsAre;

// Of files of this process, as long as it lives: what is written beyond it fails, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : before_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit small = before_;
    small.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, before_handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*before_handler_)(int);
  rlimit before_{};
};

TEST(LogIndex, an_entry_that_was_written_in_part_spoils_neither_its_time_nor_the_entries_after_it) {
  test::TempDir dir;
  LogIndex index(dir.path() / "stdout");
  const auto look = [&](std::uint64_t size, std::int64_t millis) {
    index.look(size, Instant(Millis(millis)), WallTime(Millis(millis)));
  };
  look(10, 1000);
  {
    const FileSizeLimit full(12);
    look(20, 2500);
  }
  EXPECT_EQ(core::read_file(dir.path() / "stdout.times").value(), "10 1000\n20 2");
  look(30, 4000);
  const auto text = core::read_file(dir.path() / "stdout.times");
  const files::LogTime first{10, WallTime(Millis(1000))};
  const files::LogTime last{30, WallTime(Millis(4000))};
  EXPECT_THAT(files::LogTimesDecoder().feed(*text), ElementsAre(first, last)) << *text;
}

}  // namespace
}  // namespace ydl::agent

// Writing a file to an HDFS that is not there: real protocols, and a failure at every step.
#include "hdfs/file_system.hpp"
#include "support/hdfs_imposter.hpp"
#include "support/loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::hdfs {
namespace {

using test::HdfsFault;
using test::HdfsImposter;

constexpr const char* kPath = "/user/alice/log";

// More than one block, and packets that are not full.
std::string text(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>('a' + i % 23);
  return bytes;
}

net::Async<> write_file(FileSystem& fs, std::string first, std::string second) {
  auto writer = co_await fs.create(kPath, {});
  if (!writer) co_return core::fail(writer.error());
  if (auto written = co_await writer->write(first); !written) co_return written;
  if (auto flushed = co_await writer->flush(); !flushed) co_return flushed;
  if (auto written = co_await writer->write(second); !written) co_return written;
  co_return co_await writer->close();
}

class HdfsWriterTest : public testing::Test {
 protected:
  core::Result<> write(HdfsImposter& imposter, ReplaceOptions replace = {}) {
    auto options = imposter.options();
    options.replace = replace;
    FileSystem fs(loop_.executor(), options);
    auto written = loop_.run(write_file(fs, first_, second_));
    fs.close();
    loop_.settle();
    return written;
  }
  // How many steps it takes without a failure.
  int steps() {
    HdfsImposter imposter(loop_.executor());
    EXPECT_TRUE(write(imposter));
    return imposter.steps();
  }
  void fail_at_every_step(HdfsFault fault, const ReplaceOptions& replace) {
    const int all = steps();
    int failures = 0;
    for (int step = 1; step <= all; ++step) {
      HdfsImposter imposter(loop_.executor());
      imposter.fail(fault, step);
      const auto written = write(imposter, replace);
      ASSERT_TRUE(written) << "step " << step << ": " << written.error().message;
      EXPECT_EQ(imposter.content(kPath), first_ + second_) << "step " << step;
      failures += imposter.has_failed() ? 1 : 0;
    }
    EXPECT_GT(failures, all / 2) << "of " << all << " steps";
  }

  test::Loop loop_;
  const std::string first_ = text(200'000);
  const std::string second_ = text(150'001);
};

TEST_F(HdfsWriterTest, what_is_written_is_stored) {
  HdfsImposter imposter(loop_.executor());
  const auto written = write(imposter);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(imposter.content(kPath), first_ + second_);
}

class OneFault : public HdfsWriterTest, public testing::WithParamInterface<HdfsFault> {};

TEST_P(OneFault, is_survived_at_every_step_and_no_byte_is_lost_or_doubled) {
  fail_at_every_step(GetParam(), {});
}

TEST_P(OneFault, is_survived_without_a_datanode_in_place_of_the_lost_one) {
  fail_at_every_step(GetParam(), {.policy = ReplaceOptions::Policy::never});
}

std::string name_of(const testing::TestParamInfo<HdfsFault>& info) {
  switch (info.param) {
    case HdfsFault::namenode_hangs_up:
      return "namenode_hangs_up";
    case HdfsFault::namenode_forgets:
      return "namenode_forgets";
    case HdfsFault::datanode_hangs_up:
      return "datanode_hangs_up";
    case HdfsFault::datanode_dies_silent:
      return "datanode_dies_silent";
    case HdfsFault::datanode_refuses:
      return "datanode_refuses";
    case HdfsFault::mirror_fails:
      return "mirror_fails";
    case HdfsFault::none:
      break;
  }
  return "none";
}

INSTANTIATE_TEST_SUITE_P(Hdfs, OneFault,
                         testing::Values(HdfsFault::namenode_hangs_up, HdfsFault::namenode_forgets,
                                         HdfsFault::datanode_hangs_up, HdfsFault::datanode_dies_silent,
                                         HdfsFault::datanode_refuses, HdfsFault::mirror_fails),
                         name_of);

}  // namespace
}  // namespace ydl::hdfs

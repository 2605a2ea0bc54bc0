#include "client/log_clock.hpp"

#include "core/files.hpp"
#include "support/temp_dir.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace ydl::client {
namespace {

constexpr off_t kLargest = off_t{64} << 20U;

void write_at(const std::filesystem::path& path, off_t offset, std::string_view text) {
  const core::UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::pwrite(fd.get(), text.data(), text.size(), offset), static_cast<ssize_t>(text.size()));
}

// A task can write into the folder of its logs: an index of terabytes must not hold the command that reads it.
TEST(LogClock, an_index_without_an_end_is_not_read_beyond_its_limit) {
  test::TempDir dir;
  write_at(dir.path() / "stdout.times", 0, "5 1000\n");
  write_at(dir.path() / "stdout.times", kLargest, "\n9 2000\n");
  LogClock clock(dir.path() / "stdout");
  ASSERT_NE(clock.peek(), nullptr);
  EXPECT_EQ(clock.peek()->offset, 5U);
  clock.pop();
  EXPECT_EQ(clock.peek(), nullptr);
  EXPECT_EQ(clock.peek(), nullptr) << "again";
}

TEST(LogClock, an_entry_just_before_the_limit_is_read) {
  test::TempDir dir;
  write_at(dir.path() / "stdout.times", kLargest - 8, "\n9 2000\n");
  LogClock clock(dir.path() / "stdout");
  ASSERT_NE(clock.peek(), nullptr);
  EXPECT_EQ(clock.peek()->offset, 9U);
}

TEST(LogClock, a_symbolic_link_to_an_index_is_not_followed) {
  test::TempDir dir;
  write_at(dir.path() / "other", 0, "5 1000\n");
  std::filesystem::create_symlink(dir.path() / "other", dir.path() / "stdout.times");
  LogClock clock(dir.path() / "stdout");
  EXPECT_EQ(clock.peek(), nullptr);
}

}  // namespace
}  // namespace ydl::client

#include "ui/screen.hpp"

#include "core/files.hpp"
#include "core/strings.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

namespace ydl::ui {
namespace {

struct Pty {
  Pty() : master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    if (!master || ::grantpt(master.get()) != 0 || ::unlockpt(master.get()) != 0) return;
    slave = core::UniqueFd(::open(::ptsname(master.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
  }
  core::UniqueFd master;
  core::UniqueFd slave;
};

TEST(Screen, asks_the_terminal_for_its_size_each_time) {
  const Pty pty;
  ASSERT_TRUE(pty.slave);
  const Screen screen(pty.slave.get());
  EXPECT_TRUE(screen.is_terminal());
  EXPECT_EQ(screen.size(), (Size{80, 24})) << "a fresh one says 0 by 0";
  ::winsize window{};
  window.ws_col = 132;
  window.ws_row = 50;
  ASSERT_EQ(::ioctl(pty.master.get(), TIOCSWINSZ, &window), 0);
  EXPECT_EQ(screen.size(), (Size{132, 50}));
}

TEST(Screen, a_pipe_is_not_a_terminal_and_80_by_24) {
  auto pipe = core::make_pipe();
  ASSERT_TRUE(pipe);
  const Screen screen(pipe->write.get());
  EXPECT_FALSE(screen.is_terminal());
  EXPECT_EQ(screen.size(), (Size{80, 24}));
  ASSERT_TRUE(screen.write("hello"));
  std::string got(5, ' ');
  ASSERT_EQ(::read(pipe->read.get(), got.data(), got.size()), 5);
  EXPECT_EQ(got, "hello");
}

TEST(Screen, waits_for_a_slow_reader_of_a_non_blocking_descriptor) {
  auto pipe = core::make_pipe();
  ASSERT_TRUE(pipe);
  ASSERT_EQ(::fcntl(pipe->write.get(), F_SETFL, O_NONBLOCK), 0);
  const std::string sent(std::size_t{1} << 20U, 'x');  // more than a pipe holds
  std::string got;
  std::thread reader([&] {
    std::array<char, 4096> buffer{};
    for (;;) {
      const auto n = ::read(pipe->read.get(), buffer.data(), buffer.size());
      if (n <= 0) return;
      got.append(buffer.data(), static_cast<std::size_t>(n));
    }
  });
  const auto written = Screen(pipe->write.get()).write(sent);
  pipe->write.reset();
  reader.join();
  EXPECT_TRUE(written);
  EXPECT_EQ(got.size(), sent.size());
}

TEST(Screen, a_closed_descriptor_is_an_error) {
  const auto written = Screen(-1).write("x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "cannot write the output: Bad file descriptor");
}

TEST(LocalUtcOffset, follows_the_local_rules_at_the_time_asked_for) {
  const char* const before = std::getenv("TZ");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TZ", "EST5EDT,M3.2.0,M11.1.0", 1);
  ::tzset();
  EXPECT_EQ(local_utc_offset(*core::parse_utc("2026-11-15T03:00:00.000Z")), core::Seconds(-5 * 3600));
  EXPECT_EQ(local_utc_offset(*core::parse_utc("2026-07-15T03:00:00.000Z")), core::Seconds(-4 * 3600));
  before == nullptr ? ::unsetenv("TZ") : ::setenv("TZ", kept.c_str(), 1);
  ::tzset();
}

TEST(SingleKeys, hands_over_keys_unseen_and_puts_the_terminal_back) {
  const Pty pty;
  ASSERT_TRUE(pty.slave);
  const auto local_modes = [&] {
    ::termios settings{};
    EXPECT_EQ(::tcgetattr(pty.slave.get(), &settings), 0);
    return settings.c_lflag & (ICANON | ECHO | ISIG);
  };
  EXPECT_EQ(local_modes(), static_cast<tcflag_t>(ICANON | ECHO | ISIG));
  {
    const SingleKeys keys(pty.slave.get());
    EXPECT_EQ(local_modes(), static_cast<tcflag_t>(ISIG));
  }
  EXPECT_EQ(local_modes(), static_cast<tcflag_t>(ICANON | ECHO | ISIG));
}

}  // namespace
}  // namespace ydl::ui

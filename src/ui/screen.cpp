#include "ui/screen.hpp"

#include <cerrno>
#include <ctime>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace ydl::ui {
namespace {

std::optional<core::Error>& failure_of_output() {
  static std::optional<core::Error> failure;
  return failure;
}

// A pipe that can be written to has room for this many bytes.
constexpr std::size_t kAtOnce = 4096;

// Whether the descriptor takes bytes; waits for it up to `timeout` milliseconds, or without a limit (-1).
core::Result<bool> is_ready(int fd, int timeout) {
  ::pollfd output{.fd = fd, .events = POLLOUT, .revents = 0};
  const int ready = ::poll(&output, 1, timeout);
  if (ready < 0 && errno != EINTR) return core::fail(core::system_error(errno, "cannot wait for the output"));
  return ready > 0;
}

// The number of bytes that were written; 0 where a descriptor that does not block takes none at present.
core::Result<std::size_t> write_once(int fd, std::string_view bytes) {
  for (;;) {
    const auto written = ::write(fd, bytes.data(), bytes.size());
    if (written >= 0) return static_cast<std::size_t>(written);
    if (errno == EAGAIN) return 0;
    if (errno != EINTR) return core::fail(core::system_error(errno, "cannot write the output"));
  }
}

template <class T>
core::Result<T> with_failure_kept(core::Result<T> written, int fd) {
  const bool is_lost = !written && fd == STDOUT_FILENO && written.error().code != std::errc::broken_pipe;
  if (is_lost && !failure_of_output()) failure_of_output() = written.error();
  return written;
}

core::Result<void> write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = write_once(fd, bytes);
    if (!written) return core::fail(written.error());
    bytes.remove_prefix(*written);
    if (*written > 0) continue;
    if (auto ready = is_ready(fd, -1); !ready) return core::fail(ready.error());
  }
  return {};
}

core::Result<std::size_t> write_what_fits(int fd, std::string_view bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto ready = is_ready(fd, 0);
    if (!ready) return core::fail(ready.error());
    if (!*ready) break;
    const auto written = write_once(fd, bytes.substr(done, kAtOnce));
    if (!written) return written;
    if (*written == 0) break;
    done += *written;
  }
  return done;
}

}  // namespace

const std::optional<core::Error>& output_failure() {
  return failure_of_output();
}

bool Screen::is_terminal() const {
  return ::isatty(fd_) == 1;
}

Size Screen::size() const {
  ::winsize window{};
  if (::ioctl(fd_, TIOCGWINSZ, &window) != 0) return {};
  // Serial lines and fresh pseudo-terminals answer 0: unknown.
  Size size;
  if (window.ws_col > 0) size.columns = window.ws_col;
  if (window.ws_row > 0) size.rows = window.ws_row;
  return size;
}

core::Result<void> Screen::write(std::string_view bytes) const {
  return with_failure_kept(write_all(fd_, bytes), fd_);
}

core::Result<std::size_t> Screen::write_some(std::string_view bytes) const {
  return with_failure_kept(write_what_fits(fd_, bytes), fd_);
}

bool Screen::has_no_reader() const {
  ::pollfd output{.fd = fd_, .events = 0, .revents = 0};
  return !is_terminal() && ::poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0;
}

SingleKeys::SingleKeys(int fd) : fd_(fd) {
  ::termios found{};
  if (::tcgetattr(fd, &found) != 0) return;
  ::termios wanted = found;
  wanted.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  wanted.c_cc[VMIN] = 1;
  wanted.c_cc[VTIME] = 0;
  if (::tcsetattr(fd, TCSANOW, &wanted) == 0) before_ = found;
}

SingleKeys::~SingleKeys() {
  if (before_) ::tcsetattr(fd_, TCSANOW, &*before_);
}

core::Seconds local_utc_offset(core::WallTime time) {
  const std::time_t seconds = std::chrono::floor<core::Seconds>(time).time_since_epoch().count();
  std::tm local{};
  if (::localtime_r(&seconds, &local) == nullptr) return core::Seconds(0);
  return core::Seconds(local.tm_gmtoff);
}

}  // namespace ydl::ui

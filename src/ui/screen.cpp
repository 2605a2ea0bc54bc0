#include "ui/screen.hpp"

#include <cerrno>
#include <ctime>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace ydl::ui {

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
  while (!bytes.empty()) {
    const auto written = ::write(fd_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return core::fail(core::system_error(errno, "cannot write the output"));
    ::pollfd ready{.fd = fd_, .events = POLLOUT, .revents = 0};
    if (::poll(&ready, 1, -1) < 0 && errno != EINTR) {
      return core::fail(core::system_error(errno, "cannot wait for the output"));
    }
  }
  return {};
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

#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"
#include "ui/frame.hpp"

#include <optional>
#include <string_view>
#include <termios.h>

namespace ydl::ui {

// Where a display's bytes go: a descriptor that it does not own.
class Screen {
 public:
  explicit Screen(int fd) : fd_(fd) {}

  [[nodiscard]] bool is_terminal() const;
  // As it is now, asked anew each time since windows are resized; 80 by 24 where it is unknown.
  [[nodiscard]] Size size() const;
  // All bytes, in one write where the kernel takes them; waits for a reader that is slow even where the descriptor is
  // non-blocking, as terminals shared with other programs may be. Errors: io; the system's. The first one of standard
  // output is kept for output_failure().
  [[nodiscard]] core::Result<void> write(std::string_view bytes) const;
  // As many of the bytes as can be written without a wait for a slow reader; returns their number. The same errors.
  [[nodiscard]] core::Result<std::size_t> write_some(std::string_view bytes) const;
  // Whether this is a pipe or a socket whose other end is closed, so that no write can succeed any more.
  [[nodiscard]] bool has_no_reader() const;

 private:
  int fd_;
};

// Why standard output has not received everything that was written to it, for example because a disk is full. A reader
// that closed its end, as `head` does, has received what it asked for and is not a failure.
[[nodiscard]] const std::optional<core::Error>& output_failure();

// While it lives, the terminal hands over keys as they are typed and does not show them; Ctrl-C is still a signal.
// Does nothing where the file is not a terminal. Puts back the settings it found.
class SingleKeys {
 public:
  explicit SingleKeys(int fd);
  ~SingleKeys();
  SingleKeys(const SingleKeys&) = delete;
  SingleKeys& operator=(const SingleKeys&) = delete;

 private:
  int fd_;
  std::optional<::termios> before_;
};

// How far this machine's clock is ahead of UTC at `time`: what displays are given for clock times.
[[nodiscard]] core::Seconds local_utc_offset(core::WallTime time);

}  // namespace ydl::ui

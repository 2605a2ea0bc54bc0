#pragma once

#include "core/clock.hpp"
#include "ui/display.hpp"

#include <cstddef>
#include <cstdint>

namespace ydl::client {

// The progress of a copy of files.
struct Transfer {
  std::uint64_t bytes = 0;  // 0 if unknown
  std::uint64_t bytes_done = 0;
  std::size_t files = 0;
  std::size_t files_done = 0;
};

// Shows the progress as one line on standard error, if that is a terminal. The line is redrawn a few times a second and
// removed at the end. A copy that ends at once shows no line.
class TransferBar {
 public:
  explicit TransferBar(ui::Mode output);
  ~TransferBar() { clear(); }
  TransferBar(const TransferBar&) = delete;
  TransferBar& operator=(const TransferBar&) = delete;

  void show(const Transfer& transfer);
  // Removes the line, so that other text can be written.
  void clear();

 private:
  void draw(const Transfer& transfer, core::Instant now);

  bool shown_ = false;
  bool on_screen_ = false;
  core::Instant started_;
  core::Instant drawn_;
};

}  // namespace ydl::client

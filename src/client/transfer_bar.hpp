#pragma once

#include "core/clock.hpp"
#include "ui/display.hpp"

#include <cstddef>
#include <cstdint>

namespace ydl::client {

// How far a copy of files is.
struct Transfer {
  std::uint64_t bytes = 0;  // 0: nobody knows
  std::uint64_t bytes_done = 0;
  std::size_t files = 0;
  std::size_t files_done = 0;
};

// Shows it to whoever looks: one line on a terminal's standard error, drawn again a few times a second, and taken away
// at the end. What is over at once is not shown.
class TransferBar {
 public:
  explicit TransferBar(ui::Mode output);
  ~TransferBar() { clear(); }
  TransferBar(const TransferBar&) = delete;
  TransferBar& operator=(const TransferBar&) = delete;

  void show(const Transfer& transfer);
  // Takes the line away, for other words.
  void clear();

 private:
  void draw(const Transfer& transfer, core::Instant now);

  bool shown_ = false;
  bool on_screen_ = false;
  core::Instant started_;
  core::Instant drawn_;
};

}  // namespace ydl::client

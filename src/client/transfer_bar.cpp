#include "client/transfer_bar.hpp"

#include "core/files.hpp"
#include "core/strings.hpp"
#include "ui/progress.hpp"
#include "ui/screen.hpp"

#include <algorithm>
#include <string>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::client {
namespace {

constexpr core::Millis kFirstLook = std::chrono::milliseconds(500);  // what is done by then needs no bar
constexpr core::Millis kRedraw = std::chrono::milliseconds(200);
constexpr int kBarCells = 24;

}  // namespace

TransferBar::TransferBar(ui::Mode output) : started_(core::steady_now()), drawn_(started_ + kFirstLook - kRedraw) {
  const bool wanted = output == ui::Mode::automatic || output == ui::Mode::tty;
  shown_ = wanted && ui::Screen(STDERR_FILENO).is_terminal();
}

void TransferBar::show(const Transfer& transfer) {
  if (!shown_) return;
  if (const auto now = core::steady_now(); now - drawn_ >= kRedraw) draw(transfer, now);
}

void TransferBar::draw(const Transfer& transfer, core::Instant now) {
  drawn_ = now;
  on_screen_ = true;
  const double seconds = std::max(std::chrono::duration<double>(now - started_).count(), 0.001);
  const auto rate = core::format_bytes(static_cast<std::uint64_t>(static_cast<double>(transfer.bytes_done) / seconds));
  static const auto charset = ui::terminal_style().charset;
  std::string line = "\r\x1b[K";
  if (transfer.bytes > 0) {
    const auto percent = static_cast<int>(std::min<std::uint64_t>(100, transfer.bytes_done * 100 / transfer.bytes));
    line += fmt::format("{} {:>3}%  ", ui::progress_bar(percent, kBarCells, charset), percent);
  }
  line += fmt::format("{}, {}/s", core::format_bytes(transfer.bytes_done), rate);
  if (transfer.files > 1) line += fmt::format(", {} of {} files", transfer.files_done, transfer.files);
  (void)core::write_all(STDERR_FILENO, line);
}

void TransferBar::clear() {
  if (on_screen_) (void)core::write_all(STDERR_FILENO, "\r\x1b[K");
  on_screen_ = false;
}

}  // namespace ydl::client

#include "cli/fs_copy.hpp"

#include "cli/common.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"
#include "ui/progress.hpp"
#include "ui/screen.hpp"

#include <algorithm>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

constexpr std::size_t kAtATime = 8;
constexpr std::size_t kNameLimit = 255;                              // bytes, of HDFS as of Linux
constexpr core::Millis kFirstLook = std::chrono::milliseconds(500);  // what is done by then needs no bar
constexpr core::Millis kRedraw = std::chrono::milliseconds(200);
constexpr int kBarCells = 24;

// As many characters from the front as fit into so many bytes.
std::string_view whole_characters(std::string_view text, std::size_t bytes) {
  std::size_t kept = 0;
  while (kept < text.size()) {
    const auto next = kept + std::max<std::size_t>(1, core::utf8_length(text.substr(kept)));
    if (next > bytes) break;
    kept = next;
  }
  return text.substr(0, kept);
}

struct Copying {
  FsSession& session;
  CopyProgress progress;
  std::vector<CopyFile> files;
  CopyOne copy_one;
  net::Signal finished;
  std::size_t next = 0;
  std::size_t working = 0;
};

net::awaitable<void> work(Copying& copying) {
  while (copying.next < copying.files.size() && copying.session.interrupted == 0) {
    const CopyFile& file = copying.files[copying.next++];
    const auto copied = co_await copying.copy_one(copying.session, copying.progress, file);
    if (!copied) {
      copying.progress.clear();
      copying.session.fail(copied.error());
    }
    copying.progress.file_done();
  }
  if (--copying.working == 0) copying.finished.notify();
}

}  // namespace

std::string unfinished_name(std::string_view prefix, std::string_view name, std::string_view suffix) {
  std::string_view kept = name;
  std::string unlike;
  if (prefix.size() + name.size() + suffix.size() > kNameLimit && name.size() <= kNameLimit) {
    unlike = "." + core::random_hex(4);  // two long names may begin alike
    kept = whole_characters(name, kNameLimit - prefix.size() - unlike.size() - suffix.size());
  }
  return fmt::format("{}{}{}{}", prefix, kept, unlike, suffix);
}

CopyProgress::CopyProgress(const Fs& command, const std::vector<CopyFile>& files)
    : files_(files.size()), started_(core::steady_now()), drawn_(started_ + kFirstLook - kRedraw) {
  for (const auto& file : files) bytes_ += file.size;
  const bool wanted = command.output == ui::Mode::automatic || command.output == ui::Mode::tty;
  shown_ = wanted && ui::Screen(STDERR_FILENO).is_terminal();
}

void CopyProgress::add(std::uint64_t bytes) {
  bytes_done_ += bytes;
  if (!shown_) return;
  if (const auto now = core::steady_now(); now - drawn_ >= kRedraw) draw(now);
}

void CopyProgress::draw(core::Instant now) {
  drawn_ = now;
  on_screen_ = true;
  const double seconds = std::max(std::chrono::duration<double>(now - started_).count(), 0.001);
  const auto rate = core::format_bytes(static_cast<std::uint64_t>(static_cast<double>(bytes_done_) / seconds));
  std::string line = "\r\x1b[K";
  if (bytes_ > 0) {
    const auto percent = static_cast<int>(std::min<std::uint64_t>(100, bytes_done_ * 100 / bytes_));
    line += fmt::format("{} {:>3}%  ", ui::progress_bar(percent, kBarCells), percent);
  }
  line += fmt::format("{}, {}/s", core::format_bytes(bytes_done_), rate);
  if (files_ > 1) line += fmt::format(", {} of {} files", files_done_, files_);
  (void)core::write_all(STDERR_FILENO, line);
}

void CopyProgress::clear() {
  if (on_screen_) (void)core::write_all(STDERR_FILENO, "\r\x1b[K");
  on_screen_ = false;
}

net::awaitable<void> copy_files(FsSession& session, std::vector<CopyFile> files, CopyOne copy_one) {
  const auto executor = co_await net::asio::this_coro::executor;
  CopyProgress progress(session.command, files);
  Copying copying{session, progress, std::move(files), std::move(copy_one), net::Signal(executor)};
  copying.working = std::min(kAtATime, copying.files.size());
  for (std::size_t i = copying.working; i > 0; --i) net::asio::co_spawn(executor, work(copying), net::asio::detached);
  while (copying.working > 0) co_await copying.finished.wait(std::chrono::seconds(1));
  copying.progress.clear();
}

}  // namespace ydl::cli

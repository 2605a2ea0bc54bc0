#include "cli/fs/fs_copy.hpp"

#include "cli/commands/common.hpp"
#include "core/strings.hpp"
#include "net/spawn.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

constexpr std::size_t kAtATime = 8;
constexpr std::size_t kNameLimit = 255;  // bytes, of HDFS as of Linux

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
  CopyProgress& progress;
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

CopyProgress::CopyProgress(const Fs& command, const std::vector<CopyFile>& files) : bar_(command.output) {
  transfer_.files = files.size();
  for (const auto& file : files) transfer_.bytes += file.size;
}

void CopyProgress::add(std::uint64_t bytes) {
  transfer_.bytes_done += bytes;
  bar_.show(transfer_);
}

net::awaitable<void> copy_files(FsSession& session, std::vector<CopyFile> files, CopyOne copy_one) {
  const auto executor = co_await net::asio::this_coro::executor;
  CopyProgress progress(session.command, files);
  Copying copying{session, progress, std::move(files), std::move(copy_one), net::Signal(executor)};
  copying.working = std::min(kAtATime, copying.files.size());
  for (std::size_t i = copying.working; i > 0; --i) net::spawn(executor, "copying files", work(copying));
  while (copying.working > 0) co_await copying.finished.wait(std::chrono::seconds(1));
  copying.progress.clear();
}

}  // namespace ydl::cli

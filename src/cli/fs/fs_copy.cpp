#include "cli/fs/fs_copy.hpp"

#include "cli/commands/common.hpp"
#include "core/strings.hpp"
#include "net/for_each.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

constexpr std::size_t kAtATime = 8;
constexpr std::size_t kNameLimit = 255;  // bytes, in HDFS and in Linux

// The longest prefix of complete characters that fits into `bytes` bytes.
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
};

// A failure is recorded in the session, and the other files are still copied.
net::Async<> copy_or_note(Copying& copying, std::size_t index) {
  if (copying.session.interrupted != 0) co_return core::Result<>{};
  const auto copied = co_await copying.copy_one(copying.session, copying.progress, copying.files[index]);
  if (!copied) {
    copying.progress.clear();
    copying.session.fail(copied.error());
  }
  copying.progress.file_done();
  co_return core::Result<>{};
}

}  // namespace

std::string unfinished_name(std::string_view prefix, std::string_view name, std::string_view suffix) {
  std::string_view kept = name;
  std::string unlike;
  if (prefix.size() + name.size() + suffix.size() > kNameLimit && name.size() <= kNameLimit) {
    unlike = "." + core::random_hex(4);  // avoids a conflict between long names with the same start
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
  CopyProgress progress(session.command, files);
  Copying copying{session, progress, std::move(files), std::move(copy_one)};
  (void)co_await net::for_each(copying.files.size(), kAtATime,
                               [&copying](std::size_t index) { return copy_or_note(copying, index); });
  copying.progress.clear();
}

}  // namespace ydl::cli

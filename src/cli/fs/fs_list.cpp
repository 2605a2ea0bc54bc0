// ls, du and stat.
#include "cli/commands/common.hpp"
#include "cli/fs/fs_session.hpp"
#include "core/strings.hpp"
#include "core/utf8.hpp"
#include "hdfs/paths.hpp"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

namespace ydl::cli {
namespace {

using hdfs::FileStatus;

bool json(const FsSession& session) {
  return session.command.output == ui::Mode::json;
}

std::string mode_letters(const FileStatus& status) {
  std::string text = status.is_directory() ? "d" : status.kind == hdfs::FileKind::link ? "l" : "-";
  for (int bit = 8; bit >= 0; --bit) {
    text += ((status.permission >> static_cast<unsigned>(bit)) & 1U) != 0 ? "rwxrwxrwx"[8 - bit] : '-';
  }
  if ((status.permission & 01000U) != 0) text.back() = text.back() == 'x' ? 't' : 'T';
  return text;
}

std::string size_text(const FsSession& session, std::uint64_t bytes) {
  return session.command.human ? core::format_bytes(bytes) : std::to_string(bytes);
}

// Programs get unchanged names in JSON, with control characters escaped. The serializer does not escape U+0080 to
// U+009F, which are control characters too, so this is done here.
std::string to_line(const boost::json::object& object) {
  std::string line;
  const auto text = boost::json::serialize(object);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    if (static_cast<unsigned char>(text[i]) != 0xC2 || next >= 0xA0) {
      line += text[i];
    } else {
      line += fmt::format("\\u{:04x}", next);
      ++i;
    }
  }
  return line + "\n";
}

std::string json_line(const std::string& path, const FileStatus& status) {
  const char* kind = status.is_directory() ? "directory" : status.kind == hdfs::FileKind::link ? "link" : "file";
  return to_line({{"v", 1},
                  {"type", "path"},
                  {"path", core::replace_invalid_utf8(path)},
                  {"kind", kind},
                  {"length", status.length},
                  {"mode", fmt::format("{:04o}", status.permission)},
                  {"owner", core::replace_invalid_utf8(status.owner)},
                  {"group", core::replace_invalid_utf8(status.group)},
                  {"replication", status.replication},
                  {"block_size", status.block_size},
                  {"modified", core::format_utc(status.modified)}});
}

struct Entry {
  std::string path;
  FileStatus status;
};

void show(const FsSession& session, const std::vector<Entry>& entries) {
  std::string text;
  std::size_t owner = 0;
  std::size_t group = 0;
  std::size_t size = 0;
  for (const auto& [path, status] : entries) {
    owner = std::max(owner, core::escaped(status.owner).size());
    group = std::max(group, core::escaped(status.group).size());
    size = std::max(size, size_text(session, status.length).size());
  }
  for (const auto& [path, status] : entries) {
    if (json(session)) {
      text += json_line(path, status);
      continue;
    }
    text += fmt::format("{} {:>3} {:<{}} {:<{}} {:>{}} {:%Y-%m-%d %H:%M} {}\n", mode_letters(status),
                        status.is_directory() ? "-" : std::to_string(status.replication), core::escaped(status.owner),
                        owner, core::escaped(status.group), group, size_text(session, status.length), size,
                        std::chrono::time_point_cast<core::Seconds>(status.modified), core::escaped(path));
  }
  print(text);
}

// Prints a directory page by page, so that large directories need no additional memory.
net::Async<> list_directory(FsSession& session, std::string path) {
  std::vector<std::string> directories;
  hdfs::ListingCursor from;
  for (;;) {
    auto page = co_await session.fs.list(path, std::move(from));
    if (!page) co_return core::fail(page.error());
    std::vector<Entry> entries;
    for (auto& status : page->entries) {
      const std::string full = hdfs::join_path(path, status.name);
      if (session.command.recursive && status.is_directory()) directories.push_back(full);
      entries.push_back({full, std::move(status)});
    }
    show(session, entries);
    if (!page->next) break;
    from = *std::move(page->next);
  }
  for (auto& directory : directories) {
    if (auto listed = co_await list_directory(session, std::move(directory)); !listed) session.fail(listed.error());
  }
  co_return core::Result<>{};
}

net::Async<> measure(FsSession& session, std::string path) {
  const auto summary = co_await session.fs.content_summary(path);
  if (!summary) co_return core::fail(summary.error());
  if (json(session)) {
    print(to_line({{"v", 1},
                   {"type", "usage"},
                   {"path", core::replace_invalid_utf8(path)},
                   {"length", summary->length},
                   {"space", summary->space},
                   {"files", summary->files},
                   {"directories", summary->directories}}));
  } else {
    print(fmt::format("{:>12}  {:>12}  {}\n", size_text(session, summary->length), size_text(session, summary->space),
                      core::escaped(path)));
  }
  co_return core::Result<>{};
}

}  // namespace

net::awaitable<void> fs_ls(FsSession& session) {
  std::vector<std::string> directories;
  for (const auto& path : co_await expand_all(session, session.command.paths)) {
    auto status = co_await status_of(session.fs, path);
    if (!status) {
      session.fail(status.error());
    } else if (status->is_directory()) {
      directories.push_back(path);
    } else {
      show(session, {{path, std::move(*status)}});
    }
  }
  for (const auto& path : directories) {
    if (directories.size() > 1 && !json(session)) print(fmt::format("\n{}:\n", core::escaped(path)));
    session.check(co_await list_directory(session, path));
  }
}

net::awaitable<void> fs_du(FsSession& session) {
  for (const auto& path : co_await expand_all(session, session.command.paths)) {
    auto status = co_await status_of(session.fs, path);
    if (!status) {
      session.fail(status.error());
      continue;
    }
    if (session.command.summary || !status->is_directory()) {
      session.check(co_await measure(session, path));
      continue;
    }
    auto entries = co_await session.fs.list_all(path);
    if (!entries) {
      session.fail(entries.error());
      continue;
    }
    for (const auto& entry : *entries) session.check(co_await measure(session, hdfs::join_path(path, entry.name)));
  }
}

net::awaitable<void> fs_stat(FsSession& session) {
  for (const auto& path : co_await expand_all(session, session.command.paths)) {
    auto status = co_await status_of(session.fs, path);
    if (!status) {
      session.fail(status.error());
      continue;
    }
    if (json(session)) {
      print(json_line(path, *status));
      continue;
    }
    print(fmt::format(
        "  File: {}\n  Size: {}  Blocks of: {}  Replicas: {}\nAccess: ({:04o}/{})  Owner: {}  Group: {}\n"
        "Modify: {}\nAccess: {}\n{}",
        core::escaped(path), status->length, core::format_bytes(status->block_size), status->replication,
        status->permission, mode_letters(*status), core::escaped(status->owner), core::escaped(status->group),
        core::format_utc(status->modified), core::format_utc(status->accessed),
        status->erasure_policy.empty() ? "" : fmt::format("Erasure: {}\n", core::escaped(status->erasure_policy))));
  }
}

}  // namespace ydl::cli

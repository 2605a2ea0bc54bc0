#include "cli/common.hpp"
#include "cli/fs_copy.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"
#include "hdfs/paths.hpp"

#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

namespace files = std::filesystem;

net::Async<> read_file(FsSession& session, CopyProgress& progress, const CopyFile& file,
                       const std::string& unfinished) {
  auto reader = co_await session.fs.open(file.from);
  if (!reader) co_return core::fail(reader.error());
  const core::UniqueFd out(::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!out) co_return core::fail(core::system_error(errno, "creating " + unfinished));
  while (session.interrupted == 0) {
    const auto data = co_await reader->next();
    if (!data) co_return core::fail(data.error());
    if (data->empty()) {
      if (::rename(unfinished.c_str(), file.to.c_str()) == 0) co_return core::Result<>{};
      co_return core::fail(core::system_error(errno, fmt::format("renaming {} to {}", unfinished, file.to)));
    }
    if (auto written = core::write_all(out.get(), {data->data(), data->size()}); !written) {
      co_return core::fail(core::Error(written.error()).within("writing " + file.to));
    }
    progress.add(data->size());
  }
  co_return core::fail(core::Errc::cancelled, fmt::format("{} was not copied: interrupted", file.from));
}

// Under another name in the same folder until it is whole.
net::Async<> get_one(FsSession& session, CopyProgress& progress, CopyFile file) {
  const files::path to(file.to);
  const std::string unfinished =
      (to.parent_path() / unfinished_name(".", to.filename().string(), "." + core::random_hex(4))).string();
  auto done = co_await read_file(session, progress, file, unfinished);
  if (!done) ::unlink(unfinished.c_str());
  co_return done;
}

net::Async<> plan_remote(FsSession& session, std::string from, files::path to, std::vector<CopyFile>& plan,
                         int depth = 0) {
  auto status = co_await status_of(session.fs, from);
  if (!status) co_return core::fail(status.error());
  if (!status->is_directory()) {
    plan.push_back({std::move(from), to.string(), status->length});
    co_return core::Result<>{};
  }
  if (auto made = core::make_directories(to); !made) co_return core::fail(made.error());
  auto entries = co_await session.fs.list_all(from);
  if (!entries) co_return core::fail(entries.error());
  for (const auto& entry : *entries) {
    const auto name = session.command.name_here ? session.command.name_here(entry.name, depth) : entry.name;
    if (!name) continue;
    const std::string child = hdfs::join_path(from, entry.name);
    if (!entry.is_directory()) {
      plan.push_back({child, (to / *name).string(), entry.length});
    } else if (auto planned = co_await plan_remote(session, child, to / *name, plan, depth + 1); !planned) {
      co_return core::fail(planned.error());
    }
  }
  co_return core::Result<>{};
}

}  // namespace

net::awaitable<void> fs_get(FsSession& session) {
  auto words = session.command.paths;
  std::string target = ".";
  if (words.size() > 1) {
    target = words.back();
    words.pop_back();
  }
  std::error_code error;
  const bool into = files::is_directory(target, error);
  const auto sources = co_await expand_all(session, words);
  if ((sources.size() > 1 || target.ends_with('/')) && !into) {
    co_return session.fail({core::Errc::usage, fmt::format("{} is no directory on this machine", target)});
  }
  std::vector<CopyFile> plan;
  for (const auto& source : sources) {
    const auto name = source == "/" ? std::string_view() : hdfs::base_name(source);
    session.check(co_await plan_remote(session, source, into ? files::path(target) / name : files::path(target), plan));
  }
  co_await copy_files(session, std::move(plan), get_one);
}

}  // namespace ydl::cli

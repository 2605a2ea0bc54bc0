#include "cli/commands/common.hpp"
#include "cli/fs/fs_copy.hpp"
#include "cli/fs/local_target.hpp"
#include "core/files.hpp"
#include "hdfs/paths.hpp"

#include <filesystem>
#include <memory>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

namespace files = std::filesystem;

net::Async<> copy_to(LocalTarget& target, FsSession& session, CopyProgress& progress, const CopyFile& file) {
  if (auto opened = co_await target.open(); !opened) co_return core::fail(opened.error());
  auto reader = co_await session.fs.open(file.from);
  if (!reader) co_return core::fail(reader.error());
  while (session.interrupted == 0) {
    const auto data = co_await reader->next();
    if (!data) co_return core::fail(data.error());
    if (data->empty()) co_return target.finish();
    if (auto written = co_await target.write({data->data(), data->size()}); !written) co_return written;
    progress.add(data->size());
  }
  co_return core::fail(core::Errc::cancelled, fmt::format("the copy of {} was interrupted", file.from));
}

net::Async<> get_one(FsSession& session, CopyProgress& progress, CopyFile file) {
  const auto target = std::make_shared<LocalTarget>(co_await net::asio::this_coro::executor, file.to,
                                                    session.command.force ? hdfs::Overwrite::yes : hdfs::Overwrite::no);
  const auto stop = session.on_interrupt.emplace(session.on_interrupt.end(), [target] { target->stop(); });
  auto done = co_await copy_to(*target, session, progress, file);
  session.on_interrupt.erase(stop);
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
  if (!session.command.files.empty()) {
    for (const auto& file : session.command.files) {
      if (!session.check(core::make_directories(files::path(file.to).parent_path()))) co_return;
    }
    co_return co_await copy_files(session, session.command.files, get_one);
  }
  auto words = session.command.paths;
  std::string target = ".";
  if (words.size() > 1) {
    target = words.back();
    words.pop_back();
  }
  std::error_code error;
  // Results are always copied into the named folder, which is created if necessary, like for jobs on this machine.
  const bool is_folder = static_cast<bool>(session.command.name_here);
  const bool into = !is_folder && files::is_directory(target, error);
  const auto sources = co_await expand_all(session, words);
  if ((sources.size() > 1 || target.ends_with('/')) && !into && !is_folder) {
    co_return session.fail({core::Errc::usage, fmt::format("{} is not a directory on this machine", target)});
  }
  std::vector<CopyFile> plan;
  for (const auto& source : sources) {
    const auto name = source == "/" ? std::string_view() : hdfs::base_name(source);
    session.check(co_await plan_remote(session, source, into ? files::path(target) / name : files::path(target), plan));
  }
  co_await copy_files(session, std::move(plan), get_one);
}

}  // namespace ydl::cli

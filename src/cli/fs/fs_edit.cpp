// rm, mkdir, mv and chmod.
#include "cli/commands/common.hpp"
#include "cli/fs/fs_mode.hpp"
#include "cli/fs/fs_session.hpp"
#include "core/utf8.hpp"
#include "hdfs/paths.hpp"
#include "hrpc/errors.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::cli {
namespace {

net::Async<> remove(FsSession& session, std::string path) {
  auto status = co_await status_of(session.fs, path);
  if (!status) {
    if (session.command.force && status.error().code == core::Errc::not_found) co_return core::Result<>{};
    co_return core::fail(status.error());
  }
  if (status->is_directory() && !session.command.recursive) {
    co_return core::fail(core::Errc::refused, fmt::format("{} is a directory: delete it with -r", path));
  }
  if (path == "/") co_return core::fail(core::Errc::refused, "the root directory / cannot be deleted");
  if (session.command.skip_trash) {
    auto removed = co_await session.fs.remove(path, hdfs::Recursive::yes);
    if (!removed) co_return core::fail(removed.error());
    co_return core::Result<>{};
  }
  auto moved = co_await session.fs.move_to_trash(path);
  if (!moved) co_return core::fail(moved.error());
  if (!*moved || session.command.output == ui::Mode::quiet) co_return core::Result<>{};
  if (session.command.output == ui::Mode::json) {
    print(boost::json::serialize(boost::json::object{{"v", 1},
                                                     {"type", "trashed"},
                                                     {"path", core::replace_invalid_utf8(path)},
                                                     {"trash_path", core::replace_invalid_utf8(**moved)}}) +
          "\n");
  } else {
    print(fmt::format("moved {} to the trash: {}\n", core::escaped(path), core::escaped(**moved)));
  }
  co_return core::Result<>{};
}

net::Async<> make(FsSession& session, std::string text) {
  const auto path = session.fs.resolve(text);
  if (!path) co_return core::fail(path.error());
  if (session.command.parents) co_return co_await session.fs.make_directory(*path, hdfs::Parents::create);
  // Checked here because the NameNode does not treat an existing directory as an error.
  auto there = co_await session.fs.stat(*path);
  if (!there) co_return core::fail(there.error());
  if (*there) co_return core::fail(core::Errc::exists, fmt::format("{} already exists", *path));
  auto made = co_await session.fs.make_directory(*path, hdfs::Parents::must_exist);
  if (!made && made.error().code == hrpc::Errc::not_found) {
    co_return core::fail(core::Errc::not_found,
                         fmt::format("{} does not exist; create it too with -p", hdfs::parent_path(*path)));
  }
  co_return made;
}

// With -f, files and empty directories are replaced.
net::Async<> move(FsSession& session, std::string from, std::string to) {
  const auto overwrite = session.command.force ? hdfs::Overwrite::yes : hdfs::Overwrite::no;
  auto renamed = co_await session.fs.rename(from, to, overwrite);
  if (!renamed && renamed.error().code == hrpc::Errc::exists && overwrite == hdfs::Overwrite::no)
    co_return core::fail(already_there(to));
  co_return renamed;
}

net::Async<> change_mode(FsSession& session, std::string path, hdfs::FileStatus status) {
  const auto mode =
      apply_mode(session.command.mode, status.permission, status.is_directory() ? IsDirectory::yes : IsDirectory::no);
  if (!mode) co_return core::fail(mode.error());
  if (auto set = co_await session.fs.set_permission(path, *mode); !set) co_return core::fail(set.error());
  if (!session.command.recursive || !status.is_directory()) co_return core::Result<>{};
  auto entries = co_await session.fs.list_all(path);
  if (!entries) co_return core::fail(entries.error());
  for (auto& entry : *entries) {
    const std::string child = hdfs::join_path(path, entry.name);
    session.check(co_await change_mode(session, child, std::move(entry)));
  }
  co_return core::Result<>{};
}

}  // namespace

net::awaitable<void> fs_rm(FsSession& session) {
  for (const auto& pattern : session.command.paths) {
    auto paths = co_await expand(session.fs, pattern);
    if (!paths) {
      if (!session.command.force || paths.error().code != core::Errc::not_found) session.fail(paths.error());
      continue;
    }
    for (const auto& path : *paths) session.check(co_await remove(session, path));
  }
}

net::awaitable<void> fs_mkdir(FsSession& session) {
  for (const auto& path : session.command.paths) session.check(co_await make(session, path));
}

net::awaitable<void> fs_mv(FsSession& session) {
  auto words = session.command.paths;
  const auto target = session.fs.resolve(words.back());
  if (!target) co_return session.fail(target.error());
  words.pop_back();
  auto status = co_await session.fs.stat(*target);
  if (!status) co_return session.fail(status.error());
  const bool into = *status && (*status)->is_directory();
  const auto sources = co_await expand_all(session, words);
  if (sources.size() > 1 && !into) {
    co_return session.fail(
        {core::Errc::usage,
         fmt::format("{} is not a directory; several files can only be moved into a directory", *target)});
  }
  for (const auto& source : sources) {
    const std::string to = into ? hdfs::join_path(*target, hdfs::base_name(source)) : *target;
    session.check(co_await move(session, source, to));
  }
}

net::awaitable<void> fs_chmod(FsSession& session) {
  for (const auto& path : co_await expand_all(session, session.command.paths)) {
    auto status = co_await status_of(session.fs, path);
    if (!status) {
      session.fail(status.error());
      continue;
    }
    session.check(co_await change_mode(session, path, std::move(*status)));
  }
}

}  // namespace ydl::cli

// Deletion through the trash. It uses the same names as Hadoop's own client, so that both can empty it.
#include "hdfs/context.hpp"
#include "hdfs/file_system.hpp"
#include "hdfs/paths.hpp"
#include "hrpc/errors.hpp"

#include <fmt/format.h>

namespace ydl::hdfs {
namespace {

constexpr std::uint32_t kTrashMode = 0700;
constexpr int kNames = 100;

}  // namespace

net::Async<std::optional<std::string>> FileSystem::move_to_trash(std::string path) {
  const auto defaults = co_await server_defaults();
  if (!defaults) co_return core::fail(defaults.error());
  core::Millis interval = defaults->trash_interval;
  if (interval == core::Millis(0)) interval = context_->options.trash_interval.value_or(core::Millis(0));
  const std::string home = home_directory();
  // Without a trash, and inside the trash itself, files are deleted permanently.
  if (interval == core::Millis(0) || is_below(path, trash_root(home))) {
    auto removed = co_await remove(path, Recursive::yes);
    if (!removed) co_return core::fail(removed.error());
    co_return std::nullopt;
  }
  if (is_below(home, path)) {
    co_return core::fail(
        core::Errc::usage,
        fmt::format("{} contains the trash itself, so it cannot be moved there; delete it with --skip-trash", path));
  }
  const std::string wanted = trash_path(home, path);
  auto made = co_await make_directory(std::string(parent_path(wanted)), Parents::create, kTrashMode);
  if (!made) co_return core::fail(made.error());
  // If the name already exists, the time is appended, as in Hadoop's Java client.
  std::string target = wanted;
  for (int i = 0; i < kNames; ++i) {
    auto moved = co_await rename(path, target, Overwrite::no);
    if (moved) co_return target;
    if (moved.error().code != hrpc::Errc::exists) co_return core::fail(moved.error());
    target = fmt::format("{}{}", wanted, core::wall_now().time_since_epoch().count() + i);
  }
  co_return core::fail(
      core::Errc::exists,
      fmt::format("cannot move {} to the trash: all names for it already exist there; empty the trash", wanted));
}

}  // namespace ydl::hdfs

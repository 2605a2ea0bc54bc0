// `ydl env`: what jobs left in the cache in HDFS, and its tidying up.
#include "backend/yarn/staged_list.hpp"
#include "backend/yarn/staging_cache.hpp"
#include "backend/yarn/yarn_job.hpp"
#include "cli/args/commands.hpp"
#include "cli/commands/common.hpp"
#include "client/cluster_choice.hpp"
#include "client/settings.hpp"
#include "client/yarn/cluster_client.hpp"
#include "client/yarn/retention.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"
#include "net/wait_for.hpp"
#include "ui/relative_time.hpp"
#include "ui/table.hpp"

#include <algorithm>
#include <optional>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::cli {
namespace {

using backend::CachedFile;
using backend::CacheUse;
using core::fail;

constexpr std::size_t kShownHash = 12;

struct Cache {
  std::vector<CachedFile> files;
  std::vector<CacheUse> uses;
};

// The files before the uses: a job says what it uses before it looks for it.
net::Async<Cache> read_cache(client::ClusterClient& cluster) {
  auto files = co_await backend::list_cache(*cluster.fs, cluster.root);
  if (!files) co_return fail(files.error());
  auto uses = co_await backend::list_uses(*cluster.fs, cluster.root);
  if (!uses) co_return fail(uses.error());
  co_return Cache{*std::move(files), *std::move(uses)};
}

std::string json_line(std::string_view type, const CachedFile& file, const std::vector<CacheUse>& uses) {
  return boost::json::serialize(boost::json::object{{"v", 1},
                                                    {"type", type},
                                                    {"name", file.name},
                                                    {"bytes", file.size},
                                                    {"hash", file.hash},
                                                    {"last_used", core::format_utc(last_used(file, uses))}}) +
         "\n";
}

// The same fields as those of `ydl rm`, which counts files.
std::string json_line(std::string_view type, const std::string& job) {
  return boost::json::serialize(boost::json::object{{"v", 1},
                                                    {"type", type},
                                                    {"job", job},
                                                    {"cluster", core::name(core::ClusterKind::yarn)},
                                                    {"files", nullptr},
                                                    {"bytes", nullptr},
                                                    {"kept_results", nullptr}}) +
         "\n";
}

std::uint64_t total(const std::vector<CachedFile>& files) {
  std::uint64_t bytes = 0;
  for (const auto& file : files) bytes += file.size;
  return bytes;
}

std::string count(const std::vector<CachedFile>& files) {
  return fmt::format("{}, {}", core::plural(static_cast<std::int64_t>(files.size()), "file"),
                     core::format_bytes(total(files)));
}

void show(const Env& command, Cache cache, const std::string& root) {
  std::ranges::sort(cache.files, std::greater{},
                    [&](const CachedFile& file) { return std::pair(last_used(file, cache.uses), file.hash); });
  if (wants_json(command.common)) {
    for (const auto& file : cache.files) print(json_line("cached", file, cache.uses));
    return;
  }
  if (cache.files.empty())
    return print(fmt::format("the cache is empty: there are no files in {}\n", backend::cache_folder(root)));
  ui::Table table({{"NAME", ui::Align::left, ui::Fit::shrink}, {"SIZE", ui::Align::right}, {"HASH"}, {"LAST USED"}});
  const auto now = core::wall_now();
  for (const auto& file : cache.files) {
    table.row({file.is_unfinished() ? file.name + " (unfinished)" : file.name, core::format_bytes(file.size),
               file.hash.substr(0, kShownHash), ui::relative_time(last_used(file, cache.uses), now)});
  }
  print(table.render(table_width(), output_style()));
  print(fmt::format("{} in {}\n", count(cache.files), backend::cache_folder(root)));
}

net::Async<> list(const Env& command, client::ClusterClient& cluster) {
  auto cache = co_await read_cache(cluster);
  if (!cache) co_return fail(cache.error());
  show(command, *std::move(cache), cluster.root);
  co_return core::Result<>{};
}

net::Async<> remove(client::ClusterClient& cluster, const CachedFile& file) {
  const auto folder = fmt::format("{}/{}", backend::cache_folder(cluster.root), file.hash);
  auto removed = co_await cluster.fs->remove(fmt::format("{}/{}", folder, file.name), hdfs::Recursive::no);
  if (!removed) co_return fail(removed.error());
  (void)co_await cluster.fs->remove(folder, hdfs::Recursive::no);  // stays as long as something else is in it
  co_return core::Result<>{};
}

net::Async<> collect(const Env& command, client::ClusterClient& cluster) {
  const auto cache = co_await read_cache(cluster);
  if (!cache) co_return fail(cache.error());
  const auto known = co_await client::applications_of(cluster);
  if (!known) co_return fail(known.error().within("which jobs run is not known, so nothing was deleted"));
  const auto gone = backend::disposable(cache->files, cache->uses, known->running,
                                        {core::wall_now(), std::chrono::days(command.older_than_days)});
  for (const auto& file : gone) {
    if (!command.dry_run) {
      if (auto removed = co_await remove(cluster, file); !removed) co_return removed;
    }
    if (wants_json(command.common))
      print(json_line(command.dry_run ? "disposable" : "deleted", file, cache->uses));
    else
      print(fmt::format("{} {} ({})\n", file.hash.substr(0, kShownHash), file.name, core::format_bytes(file.size)));
  }
  if (!wants_json(command.common)) {
    print(fmt::format("{} {}: not used for {} or more, by no running job\n", count(gone),
                      command.dry_run ? "would be deleted" : "deleted", core::plural(command.older_than_days, "day")));
  }
  co_return core::Result<>{};
}

// How long jobs are kept: as the command or the settings say.
core::Result<std::optional<core::Millis>> keep_jobs(const Env& command) {
  if (command.keep_jobs_days) return std::chrono::days(*command.keep_jobs_days);
  const auto settings = client::load_settings();
  if (!settings) return fail(settings.error());
  return settings->keep_jobs;
}

net::Async<> collect_jobs(const Env& command, client::ClusterClient& cluster) {
  const auto keep = keep_jobs(command);
  if (!keep) co_return fail(keep.error());
  if (!*keep) co_return core::Result<>{};
  const auto removed = co_await client::remove_old_jobs(
      cluster, **keep, command.dry_run ? client::Removal::dry_run : client::Removal::real);
  if (!removed) co_return fail(removed.error());
  for (const auto& id : *removed) {
    if (wants_json(command.common))
      print(json_line(command.dry_run ? "disposable_job" : "deleted_job", id));
    else
      print(fmt::format("{}\n", cluster.job_folder(id)));
  }
  if (!wants_json(command.common)) {
    const auto when = **keep == core::Millis(0) ? "" : fmt::format(" {} ago or earlier", core::format_duration(**keep));
    print(fmt::format("{} {}: of jobs that ended{}\n",
                      core::plural(static_cast<std::int64_t>(removed->size()), "job folder"),
                      command.dry_run ? "would be deleted" : "deleted", when));
  }
  co_return core::Result<>{};
}

// Jobs first: what only they used is then not in use.
net::Async<> tidy_up(const Env& command, client::ClusterClient& cluster) {
  auto done = co_await collect_jobs(command, cluster);
  if (done) done = co_await collect(command, cluster);
  co_return done;
}

// The Python environment of a job, as it was when the job was submitted.
core::Result<> explain(const Env& command) {
  const auto folder = folder_of(command.job);
  if (!folder) return fail(folder.error());
  const auto id = folder->id().str();
  const auto text = core::read_file(folder->yarn_file());
  if (!text)
    return fail(core::Errc::not_found, fmt::format("{} did not run on a cluster, so nothing was uploaded for it", id));
  const auto job = backend::yarn_job_from_json(*text);
  if (!job) return fail(job.error().within(folder->yarn_file().string()));
  const auto layers = job->staged.environment ? job->staged.environment->layers : std::vector<backend::StagedLayer>();
  if (wants_json(command.common)) {
    for (const auto& layer : layers) {
      print(boost::json::serialize(boost::json::object{{"v", 1},
                                                       {"type", "layer"},
                                                       {"job", id},
                                                       {"layer", layer.layer},
                                                       {"source", layer.source},
                                                       {"bytes", layer.bytes},
                                                       {"unpacked", layer.unpacked},
                                                       {"files", layer.files},
                                                       {"hash", layer.hash},
                                                       {"found", layer.found}}) +
            "\n");
    }
    return {};
  }
  if (layers.empty()) {
    print(fmt::format("{} has no Python environment that ydl packed\n", id));
    return {};
  }
  ui::Table table({{"LAYER"},
                   {"SIZE", ui::Align::right},
                   {"UNPACKED", ui::Align::right},
                   {"FILES", ui::Align::right},
                   {"HASH"},
                   {"FOUND"},
                   {"SOURCE", ui::Align::left, ui::Fit::shrink}});
  for (const auto& layer : layers) {
    table.row({layer.layer, core::format_bytes(layer.bytes), core::format_bytes(layer.unpacked),
               std::to_string(layer.files), layer.hash.substr(0, kShownHash), layer.found, layer.source});
  }
  print(table.render(table_width(), output_style()));
  return {};
}

net::Async<> run(const Env& command, client::ClusterClient& cluster) {
  auto done = command.verb == Env::Verb::ls ? co_await list(command, cluster) : co_await tidy_up(command, cluster);
  cluster.close();
  co_return done;
}

}  // namespace

int execute(const Env& command) {
  if (command.verb == Env::Verb::why) {
    const auto done = explain(command);
    return done ? 0 : complain(done.error());
  }
  const auto where = client::choose_cluster({.cluster = command.common.cluster, .cluster_only = {}});
  if (!where) return complain(where.error());
  if (where->cluster != core::ClusterKind::yarn) {
    return complain({core::Errc::usage,
                     "there is no cluster with a cache: jobs on this machine need none (HADOOP_CONF_DIR names a "
                     "cluster's configuration)"});
  }
  net::asio::io_context context(1);
  auto cluster = client::open_cluster(context.get_executor(), *where->hadoop);
  if (!cluster) return complain(cluster.error());
  const auto done = net::wait_for(context, run(command, *cluster));
  return done ? 0 : complain(done.error());
}

}  // namespace ydl::cli

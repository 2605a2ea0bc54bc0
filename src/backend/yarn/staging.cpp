#include "backend/yarn/staging.hpp"

#include "backend/yarn/private_folder.hpp"
#include "backend/yarn/site_cache.hpp"
#include "backend/yarn/staged_list.hpp"
#include "backend/yarn/staging_cache.hpp"
#include "backend/yarn/staging_plan.hpp"
#include "core/strings.hpp"
#include "hrpc/errors.hpp"
#include "net/for_each.hpp"
#include "net/in_thread.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace ydl::backend {
namespace {

using core::Result;

constexpr std::size_t kAtATime = 4;
constexpr std::uint32_t kMostUseful = 10;  // replicas; with more, writing costs more than readers gain
constexpr core::Millis kLongestReading = std::chrono::hours(12);
constexpr std::uint32_t kOwnerOnly = 0700;

// The state of one staging.
struct Staging {
  Staging(hdfs::FileSystem& file_system, const StagingOptions& wanted, StagingPlan what, std::uint32_t replication)
      : fs(file_system),
        options(wanted),
        plan(std::move(what)),
        cache(fs, {.root = options.root, .url_prefix = options.url_prefix, .replication = replication}) {}

  hdfs::FileSystem& fs;
  const StagingOptions& options;
  StagingPlan plan;
  StagingCache cache;                // the user's own
  std::optional<StagingCache> site;  // the shared cache, if it is trusted
  std::optional<SiteFiles> site_files;
  bool fills_site = false;
  bool noted_site_file = false;
  StagedJob staged;
  StagingProgress progress;
  std::vector<std::size_t> missing;  // items that are in no cache
};

// Reads names, sizes, and files without a known hash. This may take seconds, so it does not run in the event loop.
net::Async<StagingPlan> make_plan(spec::JobSpec job, StagingOptions options) {
  const auto result = std::make_shared<Result<StagingPlan>>();
  options.progress = nullptr;  // both must only be called in the event loop
  options.say = nullptr;
  const bool done = co_await net::in_thread(
      [result, job = std::move(job), options = std::move(options)] {
        *result = plan_staging(job, options.executable, options.python_env, options.stop);
        if (!*result) return;
        const auto now = core::wall_now();
        HashMemory memory(options.hash_file, now);
        if (auto hashed = hash_items(**result, memory, now, options.stop); !hashed)
          *result = core::fail(hashed.error());
        (void)memory.save();  // if this fails, the next submission reads the files again
      },
      kLongestReading);
  if (!done) co_return core::fail(core::Errc::timeout, "reading the job's files took more than 12 hours");
  co_return std::move(*result);
}

// The item in the site's cache, if the job may use it. One note is enough for all files that it must not use.
net::Async<std::optional<yarn::LocalResource>> find_at_site(Staging& staging, const StagingItem& item) {
  auto found = co_await staging.site->find(item);
  if (!found || !*found) co_return found;
  const auto path = staging.site->path_of(item);
  const auto reason = co_await staging.site_files->distrust(item, path, **found, staging.options.stop);
  if (!reason) co_return core::fail(reason.error());
  if (reason->empty()) co_return found;
  if (!std::exchange(staging.noted_site_file, true))
    staging.staged.notes.push_back(fmt::format("a file in the site's cache is not used: {}", *reason));
  // The owner of the cache uploads it again.
  if (staging.fills_site) (void)co_await staging.fs.remove(path, hdfs::Recursive::no);
  co_return std::nullopt;
}

net::Async<std::optional<yarn::LocalResource>> find(Staging& staging, const StagingItem& item) {
  if (staging.site) {
    auto found = co_await find_at_site(staging, item);
    if (!found || *found) co_return found;
    if (staging.fills_site) co_return std::nullopt;
  }
  co_return co_await staging.cache.find(item);
}

// The part of the Python environment that the item is; null if it is something else.
StagedLayer* layer_of(Staging& staging, const StagingItem& item) {
  if (!staging.plan.environment) return nullptr;
  const auto found = std::ranges::find(staging.plan.environment->layers, item.sha256, &StagedLayer::hash);
  return found == staging.plan.environment->layers.end() ? nullptr : &*found;
}

void take(Staging& staging, std::size_t index, yarn::LocalResource resource) {
  const auto& item = staging.plan.items[index];
  const bool is_shared = resource.visibility == yarn::LocalResource::Visibility::everybody;
  if (auto* layer = layer_of(staging, item); layer != nullptr && layer->found.empty())
    layer->found = is_shared ? "in the site's cache" : "in the cache";
  staging.staged.files[item.name] = std::move(resource);
}

net::Async<> look(Staging& staging, std::size_t index) {
  const auto& item = staging.plan.items[index];
  auto found = co_await find(staging, item);
  if (!found) co_return core::fail(found.error());
  if (!*found) {
    staging.missing.push_back(index);
    staging.progress.bytes += item.size;
    ++staging.progress.files;
    co_return Result<>{};
  }
  staging.staged.bytes_reused += item.size;
  take(staging, index, **std::move(found));
  co_return Result<>{};
}

void tell(const Staging& staging) {
  if (staging.options.progress) staging.options.progress(staging.progress);
}

net::Async<> upload(Staging& staging, std::size_t index) {
  const auto& item = staging.plan.items[index];
  auto& cache = staging.fills_site ? *staging.site : staging.cache;
  const auto uploaded = [&staging](std::uint64_t bytes) {
    staging.progress.bytes_done += bytes;
    tell(staging);
  };
  auto stored = co_await cache.put(item, uploaded, staging.options.stop);
  if (!stored) co_return core::fail(stored.error());
  staging.staged.bytes_uploaded += item.size;
  if (auto* layer = layer_of(staging, item)) layer->found = "uploaded";
  if (staging.fills_site) staging.site_files->remember(item, *stored);
  take(staging, index, *std::move(stored));
  ++staging.progress.files_done;
  tell(staging);
  co_return Result<>{};
}

using Step = net::Async<> (*)(Staging&, std::size_t);

// Runs the step for all items, several at a time, until one fails.
net::Async<> for_each(Staging& staging, std::vector<std::size_t> indices, Step step) {
  co_return co_await net::for_each(indices.size(), kAtATime, [&](std::size_t i) { return step(staging, indices[i]); });
}

// Written before the cache is searched, so that files which are found are not removed as unused.
net::Async<> tell_use(hdfs::FileSystem& fs, const StagingPlan& plan, const StagingOptions& options) {
  if (options.job_folder.empty()) co_return Result<>{};
  auto made = co_await fs.make_directory(options.job_folder, hdfs::Parents::create, kOwnerOnly);
  if (!made) co_return made;
  StagedList list{.application = options.application, .hashes = {}};
  for (const auto& item : plan.items) list.hashes.push_back(item.sha256);
  co_return co_await write_staged_list(fs, options.job_folder, std::move(list));
}

// Several files with the same content need only one upload.
struct Uploads {
  std::vector<std::size_t> first;
  std::vector<std::size_t> twins;
};

Uploads sort_out_twins(const StagingPlan& plan, const std::vector<std::size_t>& indices) {
  std::set<std::pair<std::string, std::string>> seen;
  Uploads uploads;
  for (const auto index : indices) {
    const auto& item = plan.items[index];
    (seen.emplace(item.sha256, item.cache_name).second ? uploads.first : uploads.twins).push_back(index);
  }
  return uploads;
}

// The sizes of the parts of the Python environment that are uploaded.
void say_environment(const Staging& staging) {
  std::vector<std::string> parts;
  if (!staging.plan.environment) return;
  for (const auto& layer : staging.plan.environment->layers) {
    if (!layer.found.empty()) continue;
    parts.push_back(fmt::format("{} {} ({} in {})", layer.layer, core::format_bytes(layer.bytes),
                                core::format_bytes(layer.unpacked),
                                core::plural(static_cast<std::int64_t>(layer.files), "file")));
  }
  if (!parts.empty() && staging.options.say)
    staging.options.say(fmt::format("uploading the Python environment: {}", fmt::join(parts, ", ")));
}

net::Async<> upload_missing(Staging& staging) {
  const auto uploads = sort_out_twins(staging.plan, std::exchange(staging.missing, {}));
  if (uploads.first.empty()) co_return Result<>{};
  if (auto uploaded = co_await for_each(staging, uploads.first, upload); !uploaded) co_return uploaded;
  if (auto looked = co_await for_each(staging, uploads.twins, look); !looked) co_return looked;
  if (staging.missing.empty()) co_return Result<>{};
  co_return core::fail(core::Errc::io,
                       fmt::format("{} disappeared from the cache just after it was written: submit again",
                                   staging.plan.items[staging.missing.front()].cache_name));
}

net::Async<> open_site(Staging& staging) {
  const auto& options = staging.options;
  if (options.site_root.empty()) co_return Result<>{};
  auto site = co_await look_at_site(staging.fs, {options.site_root, options.site_owner}, options.user);
  if (!site) co_return core::fail(site.error());
  if (!site->note.empty()) staging.staged.notes.push_back(std::move(site->note));
  if (!site->trusted) co_return Result<>{};
  staging.fills_site = site->ours;
  auto shared = staging.cache.options();
  shared.root = options.site_root;
  shared.visibility = yarn::LocalResource::Visibility::everybody;
  staging.site.emplace(staging.fs, std::move(shared));
  staging.site_files.emplace(staging.fs, std::move(site->owners), HashMemory(options.hash_file, core::wall_now()));
  co_return Result<>{};
}

}  // namespace

std::uint32_t replicas_for(int nodes, std::uint32_t usual, std::uint32_t most) {
  const auto root = static_cast<std::uint32_t>(std::ceil(std::sqrt(std::max(nodes, 1))));
  return std::max(1U, std::min({std::max(usual, root), std::max(usual, kMostUseful), most}));
}

net::Async<StagedJob> stage_job(hdfs::FileSystem& fs, const spec::JobSpec& job, StagingOptions options) {
  auto plan = co_await make_plan(job, options);
  if (!plan) co_return core::fail(plan.error());
  if (auto made = co_await make_private_folder(fs, options.root, options.user); !made)
    co_return core::fail(made.error());
  if (auto told = co_await tell_use(fs, *plan, options); !told) co_return core::fail(told.error());
  const auto defaults = co_await fs.server_defaults();
  if (!defaults) co_return core::fail(defaults.error());
  const auto replication = replicas_for(options.nodes, defaults->replication, options.most_replicas);
  Staging staging(fs, options, *std::move(plan), replication);
  if (auto opened = co_await open_site(staging); !opened) co_return core::fail(opened.error());
  std::vector<std::size_t> all(staging.plan.items.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (auto looked = co_await for_each(staging, std::move(all), look); !looked) co_return core::fail(looked.error());
  say_environment(staging);
  if (auto uploaded = co_await upload_missing(staging); !uploaded) co_return core::fail(uploaded.error());
  if (staging.site_files) staging.site_files->save();
  staging.staged.linked_directory = staging.plan.linked_directory;
  staging.staged.links = std::move(staging.plan.links);
  staging.staged.environment = std::move(staging.plan.environment);
  co_return std::move(staging.staged);
}

}  // namespace ydl::backend

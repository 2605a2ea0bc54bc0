#include "backend/yarn/staged_list.hpp"

#include "backend/packing/hash_memory.hpp"
#include "backend/yarn/remote_files.hpp"
#include "backend/yarn/staging_cache.hpp"
#include "core/described_json.hpp"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::backend {
namespace {

constexpr int kVersion = 1;
constexpr core::Millis kLongestUpload = std::chrono::hours(24);  // an older incomplete file was interrupted
constexpr std::size_t kLongestList = std::size_t{4} << 20U;

struct ListRecord {
  int v = kVersion;
  std::vector<std::string> hashes;
  std::optional<std::string> application;
};
BOOST_DESCRIBE_STRUCT(ListRecord, (), (v, hashes, application))

}  // namespace

std::string to_json(const StagedList& list) {
  const ListRecord record{.v = kVersion,
                          .hashes = list.hashes,
                          .application = list.application.empty() ? std::nullopt : std::optional(list.application)};
  return boost::json::serialize(core::to_json(record)) + "\n";
}

core::Result<StagedList> staged_list_from_json(std::string_view text) {
  const auto object = core::parse_json_object(text);
  if (!object) return core::fail(object.error());
  const auto version = core::json_member<int>(*object, "v");
  if (!version) return core::fail(version.error());
  if (*version != kVersion)
    return core::fail(core::Errc::corrupt,
                      fmt::format("the list has version {}, and this ydl reads version {}; use the ydl that wrote it",
                                  *version, kVersion));
  auto record = core::from_json<ListRecord>(*object);
  if (!record) return core::fail(record.error());
  if (!std::ranges::all_of(record->hashes, is_sha256))
    return core::fail(core::Errc::corrupt, "the list contains an invalid hash");
  return StagedList{.application = std::move(record->application).value_or(""), .hashes = std::move(record->hashes)};
}

net::Async<> write_staged_list(hdfs::FileSystem& fs, std::string job_folder, StagedList list) {
  co_return co_await write_remote_file(fs, fmt::format("{}/{}", job_folder, kStagedListName), to_json(list));
}

net::Async<std::vector<CachedFile>> list_cache(hdfs::FileSystem& fs, std::string root) {
  const auto folder = cache_folder(root);
  const auto hashes = co_await list_or_nothing(fs, folder);
  if (!hashes) co_return core::fail(hashes.error());
  std::vector<CachedFile> files;
  for (const auto& hash : *hashes) {
    if (!hash.is_directory() || !is_sha256(hash.name)) continue;
    const auto contents = co_await list_or_nothing(fs, folder + "/" + hash.name);
    if (!contents) co_return core::fail(contents.error());
    for (const auto& file : *contents) files.push_back({hash.name, file.name, file.length, file.modified});
  }
  co_return files;
}

net::Async<std::vector<CacheUse>> list_uses(hdfs::FileSystem& fs, std::string root) {
  const auto folder = root + "/jobs";
  const auto jobs = co_await list_or_nothing(fs, folder);
  if (!jobs) co_return core::fail(jobs.error());
  std::vector<CacheUse> uses;
  for (const auto& job : *jobs) {
    const auto path = fmt::format("{}/{}/{}", folder, job.name, kStagedListName);
    const auto status = co_await fs.stat(path);
    if (!status) co_return core::fail(status.error());
    if (!*status) continue;
    const auto text = co_await read_remote_file(fs, path, kLongestList);
    if (!text) co_return core::fail(text.error());
    auto list = staged_list_from_json(*text);
    if (!list) co_return core::fail(list.error().within(path));
    uses.push_back({job.name, *std::move(list), (*status)->modified});
  }
  co_return uses;
}

core::WallTime last_used(const CachedFile& file, const std::vector<CacheUse>& uses) {
  auto latest = file.written;
  for (const auto& use : uses) {
    if (std::ranges::find(use.list.hashes, file.hash) != use.list.hashes.end()) latest = std::max(latest, use.when);
  }
  return latest;
}

std::vector<CachedFile> disposable(const std::vector<CachedFile>& files, const std::vector<CacheUse>& uses,
                                   const std::set<std::string>& running_applications, const DisposalRule& rule) {
  std::set<std::string> needed;
  for (const auto& use : uses) {
    if (running_applications.contains(use.list.application))
      needed.insert(use.list.hashes.begin(), use.list.hashes.end());
  }
  std::vector<CachedFile> gone;
  std::ranges::copy_if(files, std::back_inserter(gone), [&](const CachedFile& file) {
    if (file.is_unfinished()) return file.written < rule.now - kLongestUpload;
    return !needed.contains(file.hash) && last_used(file, uses) <= rule.now - rule.unused_for;
  });
  return gone;
}

}  // namespace ydl::backend

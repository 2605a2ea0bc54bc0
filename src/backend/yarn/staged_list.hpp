#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"
#include "hdfs/file_system.hpp"
#include "net/asio.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::backend {

// ROOT/jobs/ID/staged.json: the cached files that a job uses. It protects them from removal while the job runs.
struct StagedList {
  std::string application;  // "application_…", or empty if it was not known yet
  std::vector<std::string> hashes;

  bool operator==(const StagedList&) const = default;
};

inline constexpr std::string_view kStagedListName = "staged.json";

[[nodiscard]] std::string to_json(const StagedList& list);
[[nodiscard]] core::Result<StagedList> staged_list_from_json(std::string_view text);

[[nodiscard]] net::Async<> write_staged_list(hdfs::FileSystem& fs, std::string job_folder, StagedList list);

// A file of the cache.
struct CachedFile {
  std::string hash;
  std::string name;
  std::uint64_t size = 0;
  core::WallTime written;

  [[nodiscard]] bool is_unfinished() const {
    return name.starts_with('.');
  }  // an upload in progress or an interrupted one
};

// A job that used files of the cache, and when it was submitted.
struct CacheUse {
  std::string job;
  StagedList list;
  core::WallTime when;
};

// The contents below ROOT; a cache that was never used is empty. A list that cannot be parsed is an error, because it
// is then unknown which files it protects.
[[nodiscard]] net::Async<std::vector<CachedFile>> list_cache(hdfs::FileSystem& fs, std::string root);
[[nodiscard]] net::Async<std::vector<CacheUse>> list_uses(hdfs::FileSystem& fs, std::string root);

[[nodiscard]] core::WallTime last_used(const CachedFile& file, const std::vector<CacheUse>& uses);

struct DisposalRule {
  core::WallTime now;
  core::Millis unused_for{0};
};

// The files that may be removed: those that no running application uses and that were not used for the given time, and
// interrupted uploads. Pure.
[[nodiscard]] std::vector<CachedFile> disposable(const std::vector<CachedFile>& files,
                                                 const std::vector<CacheUse>& uses,
                                                 const std::set<std::string>& running_applications,
                                                 const DisposalRule& rule);

}  // namespace ydl::backend

#pragma once

#include "backend/packing/hash_memory.hpp"
#include "backend/yarn/staging_plan.hpp"
#include "hdfs/file_system.hpp"
#include "net/asio.hpp"
#include "yarn/launch_context.hpp"

#include <stop_token>
#include <string>

namespace ydl::backend {

// The users whose files a job accepts in a cache that all users of a cluster share.
struct SiteOwners {
  std::string cache;      // owns the folder of the cache and all files in it
  std::string superuser;  // owns "/", and may also own the folders above the cache

  bool operator==(const SiteOwners&) const = default;
};

struct SiteCache {
  bool trusted = false;  // all users can read it, and only its owner can write
  bool ours = false;     // this user is its owner and fills it
  SiteOwners owners;
  std::string note;  // why it is not trusted, with the remedy
};

struct SiteLocation {
  std::string root;   // "/apps/ydl"
  std::string owner;  // as set by the user; empty: the owner of "/"
};

// Checks every folder from "/" to that of the cache. Errors: those of HDFS.
[[nodiscard]] net::Async<SiteCache> look_at_site(hdfs::FileSystem& fs, SiteLocation site, std::string user);

// Why other users could change a folder above the cache, with the remedy; empty if they cannot. Pure.
[[nodiscard]] std::string distrust_above(const std::string& path, const hdfs::FileStatus& folder,
                                         const SiteOwners& owners);
// The same for the cache's own folders and for its files, which only the owner of the cache may write. Pure.
[[nodiscard]] std::string distrust_inside(const std::string& path, const hdfs::FileStatus& entry,
                                          const SiteOwners& owners);

// Decides for each file of a trusted site cache whether a job may use it, by its owner, its mode and its content. The
// content is read and hashed when this machine uses the file for the first time.
class SiteFiles {
 public:
  SiteFiles(hdfs::FileSystem& fs, SiteOwners owners, HashMemory memory)
      : fs_(fs), owners_(std::move(owners)), memory_(std::move(memory)) {}

  // Why the file must not be used, with the remedy; empty if it may be used. Errors: those of HDFS; cancelled.
  [[nodiscard]] net::Async<std::string> distrust(const StagingItem& item, std::string path,
                                                 const yarn::LocalResource& found, std::stop_token stop);
  // Call this for a file whose content was hashed during its upload.
  void remember(const StagingItem& item, const yarn::LocalResource& stored);
  // Stores the hashes, so that the next submission need not read the files again.
  void save() const { (void)memory_.save(); }

 private:
  [[nodiscard]] net::Async<std::string> hash_of(std::string path, std::stop_token stop);

  hdfs::FileSystem& fs_;
  SiteOwners owners_;
  HashMemory memory_;
};

}  // namespace ydl::backend

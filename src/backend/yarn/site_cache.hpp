#pragma once

#include "backend/packing/hash_memory.hpp"
#include "backend/yarn/staging_plan.hpp"
#include "hdfs/file_system.hpp"
#include "net/asio.hpp"
#include "yarn/launch_context.hpp"

#include <stop_token>
#include <string>

namespace ydl::backend {

// The users whose files a job may run from a cache that all users of a cluster share.
struct SiteOwners {
  std::string cache;      // owns the cache's folder and everything in it
  std::string superuser;  // owns "/", and may own the folders above the cache as well

  bool operator==(const SiteOwners&) const = default;
};

struct SiteCache {
  bool trusted = false;  // everybody can read it, and only its owner can write
  bool ours = false;     // we are its owner, and fill it
  SiteOwners owners;
  std::string note;  // why it is not trusted, and what to correct
};

struct SiteLocation {
  std::string root;   // "/apps/ydl"
  std::string owner;  // as the settings name it; empty: the owner of "/"
};

// Looks at every folder from "/" to the cache's. Errors: HDFS's.
[[nodiscard]] net::Async<SiteCache> look_at_site(hdfs::FileSystem& fs, SiteLocation site, std::string user);

// Why other users could change what lies below a folder above the cache, with the remedy; empty if they cannot. Pure.
[[nodiscard]] std::string distrust_above(const std::string& path, const hdfs::FileStatus& folder,
                                         const SiteOwners& owners);
// The same for the cache's own folders and for a file in it, which only the cache's owner may write to. Pure.
[[nodiscard]] std::string distrust_inside(const std::string& path, const hdfs::FileStatus& entry,
                                          const SiteOwners& owners);

// Decides for each file of a trusted site cache whether a job may use it: its owner, its mode, and its content, which
// is read and hashed the first time that this machine meets the file.
class SiteFiles {
 public:
  SiteFiles(hdfs::FileSystem& fs, SiteOwners owners, HashMemory memory)
      : fs_(fs), owners_(std::move(owners)), memory_(std::move(memory)) {}

  // Why the file is not used, with the remedy; empty when it may be used. Errors: HDFS's; cancelled.
  [[nodiscard]] net::Async<std::string> distrust(const StagingItem& item, std::string path,
                                                 const yarn::LocalResource& found, std::stop_token stop);
  // The content was hashed while it was written.
  void remember(const StagingItem& item, const yarn::LocalResource& stored);
  // Without it the next submission reads the files again.
  void save() const { (void)memory_.save(); }

 private:
  [[nodiscard]] net::Async<std::string> hash_of(std::string path, std::stop_token stop);

  hdfs::FileSystem& fs_;
  SiteOwners owners_;
  HashMemory memory_;
};

}  // namespace ydl::backend

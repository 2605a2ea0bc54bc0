#pragma once

#include "hdfs/file_system.hpp"
#include "net/asio.hpp"

#include <string>

namespace ydl::backend {

// What can be done with a cache that all users of a cluster share.
struct SiteCache {
  bool trusted = false;  // everybody can read it, and only its owner can write
  bool ours = false;     // we are its owner, and fill it
  std::string note;      // why it is not trusted
};

[[nodiscard]] net::Async<SiteCache> look_at_site(hdfs::FileSystem& fs, const std::string& root,
                                                 const std::string& user);

// Whether a folder above or in such a cache lets everybody in and nobody change what is below; the reason if not. Pure.
[[nodiscard]] std::string distrust(const hdfs::FileStatus& folder);

}  // namespace ydl::backend

#pragma once

#include "backend/yarn/staging_plan.hpp"
#include "hdfs/file_system.hpp"
#include "net/asio.hpp"
#include "yarn/launch_context.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace ydl::backend {

// "ROOT/cache/sha256".
[[nodiscard]] std::string cache_folder(const std::string& root);

// Files in one folder of HDFS, named by the hash of their content.
class StagingCache {
 public:
  struct Options {
    std::string root;
    std::string url_prefix;
    yarn::LocalResource::Visibility visibility = yarn::LocalResource::Visibility::user;
    std::uint32_t replication = 3;
  };
  using Uploaded = std::function<void(std::uint64_t bytes)>;

  StagingCache(hdfs::FileSystem& fs, Options options) : fs_(fs), options_(std::move(options)) {}

  // The file in the cache; nothing if there is none, or if it has the wrong length.
  [[nodiscard]] net::Async<std::optional<yarn::LocalResource>> find(const StagingItem& item);
  // Uploads it, or uses the file that another submitter has uploaded meanwhile.
  // Errors: those of HDFS; the content has changed since it was hashed; cancelled. After an error no part of it is
  // left.
  [[nodiscard]] net::Async<yarn::LocalResource> put(const StagingItem& item, const Uploaded& uploaded,
                                                    std::stop_token stop);

  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] std::string path_of(const StagingItem& item) const;

 private:
  [[nodiscard]] net::Async<hdfs::FileWriter> create(const std::string& path);
  [[nodiscard]] net::Async<> write(const StagingItem& item, const std::string& path, const Uploaded& uploaded,
                                   const std::stop_token& stop);
  [[nodiscard]] net::Async<> publish(const StagingItem& item, const std::string& unfinished);
  [[nodiscard]] net::Async<> open_to_everybody(const StagingItem& item, const std::string& unfinished);

  hdfs::FileSystem& fs_;
  Options options_;
};

}  // namespace ydl::backend

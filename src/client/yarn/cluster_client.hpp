#pragma once

#include "core/result.hpp"
#include "hconf/config.hpp"
#include "hconf/named_services.hpp"
#include "hdfs/file_system.hpp"
#include "net/asio.hpp"
#include "yarn/client_rm.hpp"
#include "yarn/credentials.hpp"

#include <memory>
#include <optional>
#include <string>

namespace ydl::client {

// The clients with which a user of this machine reaches a Hadoop cluster.
struct ClusterClient {
  hconf::Config config;
  std::string user;
  bool is_secure = false;
  yarn::Credentials tokens = {};  // those in HADOOP_TOKEN_FILE_LOCATION, if there is no ticket; else empty
  std::optional<hconf::ViewFs> view = std::nullopt;  // set if fs.defaultFS is a view; `config` has the HDFS behind it
  net::asio::any_io_executor executor = {};
  std::string root;        // ydl's folder in HDFS for this user: "/user/NAME/.ydl"
  std::string url_prefix;  // "hdfs://mycluster"
  std::shared_ptr<hdfs::FileSystem> fs;
  std::shared_ptr<yarn::ClientRm> rm;

  [[nodiscard]] std::string job_folder(const std::string& id) const { return root + "/jobs/" + id; }
  void close() const;
};

// Sends nothing. Errors: what is missing in the configuration.
[[nodiscard]] core::Result<ClusterClient> open_cluster(const net::asio::any_io_executor& executor,
                                                       hconf::Config config);

}  // namespace ydl::client

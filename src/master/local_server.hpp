#pragma once

#include "http/server.hpp"
#include "jobs/job_folder.hpp"

#include <filesystem>
#include <optional>

namespace ydl::master {

// The API server of a job on this machine. It has no port but a Unix socket in the job's folder, which only its owner
// can enter. If that file system does not support sockets, the socket is in a separate temporary folder.
class LocalServer {
 public:
  LocalServer(net::asio::any_io_executor executor, jobs::JobFolder folder, http::Router router);
  ~LocalServer();
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

  // Listens, and writes the job's master.json. Errors: io.
  [[nodiscard]] core::Result<void> listen();
  [[nodiscard]] http::Server& server() { return *server_; }

 private:
  [[nodiscard]] core::Result<void> listen_on(const std::filesystem::path& file);

  net::asio::any_io_executor executor_;
  jobs::JobFolder folder_;
  http::Router router_;
  std::filesystem::path own_folder_;  // the separate folder; empty if the socket is in the job's folder
  std::optional<http::Server> server_;
};

}  // namespace ydl::master

#pragma once

#include "http/server.hpp"
#include "jobs/job_folder.hpp"

#include <filesystem>
#include <optional>

namespace ydl::master {

// The API of a job on this machine. It has no port: it is a Unix socket in the job's folder, which only its owner may
// enter, or, where that file system takes no sockets, in a folder of its own that goes with it.
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
  std::filesystem::path own_folder_;  // for the socket; empty: the job's
  std::optional<http::Server> server_;
};

}  // namespace ydl::master

#include "master/local_server.hpp"

#include "core/log.hpp"
#include "net/endpoint_file.hpp"
#include "net/listener.hpp"
#include "protocol/job_keys.hpp"

namespace ydl::master {

LocalServer::LocalServer(net::asio::any_io_executor executor, jobs::JobFolder folder, http::Router router)
    : executor_(std::move(executor)), folder_(std::move(folder)), router_(std::move(router)) {}

LocalServer::~LocalServer() {
  server_.reset();
  std::error_code ignored;
  if (!own_folder_.empty()) std::filesystem::remove(own_folder_, ignored);
}

core::Result<void> LocalServer::listen() {
  const auto in_job = listen_on(folder_.socket_file());
  if (in_job) return in_job;
  auto own = net::make_socket_folder();
  if (!own) return core::fail(own.error());
  own_folder_ = *std::move(own);
  core::log("{}; the socket is in {}", in_job.error().message, own_folder_.string());
  return listen_on(own_folder_ / folder_.socket_file().filename());
}

core::Result<void> LocalServer::listen_on(const std::filesystem::path& file) {
  const protocol::JobKeys keys(protocol::JobKeys::make_job_key());
  http::ServerOptions options;
  options.file = file;
  options.secret = keys.owner();
  options.key_of = [keys](std::string_view agent) { return keys.agent(agent); };
  server_.emplace(executor_, options, router_);
  if (auto listening = server_->listen(); !listening) return listening;
  return net::write_endpoint(folder_.master_file(), {.address = {}, .secret = options.secret, .file = file});
}

}  // namespace ydl::master

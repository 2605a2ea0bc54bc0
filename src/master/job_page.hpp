#pragma once

#include "http/server.hpp"
#include "master/master.hpp"
#include "master/proxy_page.hpp"
#include "net/http_client.hpp"

#include <memory>
#include <string>

namespace ydl::master {

// The page of a job that the ResourceManager's proxy shows, and its server. Without TLS this is the server of the job's
// API, with HTTPS a separate one that has no other calls. If the page cannot be provided, an event tells the reason,
// and the job continues without it. Life cycle: listen() and in_clear() before the API is served, tracking_url() when
// its port is known, then open().
class JobPage {
 public:
  JobPage(net::asio::any_io_executor executor, yarn::ApplicationId application, ProxyPage::Choice choice,
          std::shared_ptr<const JobAccess> access);

  struct Where {
    std::string address;      // to listen on
    std::uint16_t first = 0;  // net::Listener::Ports
    std::uint16_t last = 0;
  };
  // Listens, with HTTPS only.
  void listen(const Where& where);
  // The answer of the API's server to calls without TLS; empty if there is none.
  [[nodiscard]] std::function<http::Response(const http::KeylessCall&)> in_clear() const;
  // The URL for the ResourceManager, from the address and port of the API; empty if the job has no page.
  [[nodiscard]] std::string tracking_url(const net::Endpoint& api) const;
  void open(Master& master);

 private:
  net::asio::any_io_executor executor_;
  yarn::ApplicationId application_;
  std::shared_ptr<ProxyPage> page_;  // null if there is no page
  std::string why_not_;
  std::unique_ptr<http::Server> server_;  // with HTTPS
};

}  // namespace ydl::master

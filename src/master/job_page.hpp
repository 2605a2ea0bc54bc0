#pragma once

#include "http/server.hpp"
#include "master/master.hpp"
#include "master/proxy_page.hpp"
#include "net/http_client.hpp"

#include <memory>
#include <string>

namespace ydl::master {

// The page that the ResourceManager's proxy shows of a job, with the server that answers it: without TLS the one of the
// job's API, with HTTPS one of its own, which has no other calls. Where something is wrong with it, the job has no page
// and an event says why; the job itself goes on.
// Life cycle: listen() and in_clear() before the API is served, tracking_url() when its port is known, then open().
class JobPage {
 public:
  JobPage(net::asio::any_io_executor executor, yarn::ApplicationId application, ProxyPage::Choice choice,
          std::shared_ptr<const JobAccess> access);

  struct Where {
    std::string address;      // to listen on
    std::uint16_t first = 0;  // net::Listener::Ports
    std::uint16_t last = 0;
  };
  // With HTTPS only; nothing to do without.
  void listen(const Where& where);
  // What the API's server answers without TLS; empty: it does not.
  [[nodiscard]] std::function<http::Response(const http::KeylessCall&)> in_clear() const;
  // For the ResourceManager, of the address and port of the API; empty: the job has no page.
  [[nodiscard]] std::string tracking_url(const net::Endpoint& api) const;
  void open(Master& master);

 private:
  net::asio::any_io_executor executor_;
  yarn::ApplicationId application_;
  std::shared_ptr<ProxyPage> page_;  // empty: there is none
  std::string why_not_;
  std::unique_ptr<http::Server> server_;  // with HTTPS
};

}  // namespace ydl::master

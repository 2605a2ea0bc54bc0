#pragma once

#include "core/result.hpp"
#include "hconf/config.hpp"
#include "http/server.hpp"
#include "master/job_access.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::master {

// What a master answers without TLS: one page, for the ResourceManager's proxy, as Hadoop's AmIpFilter has it. A caller
// with the address of a proxy host is the proxy; a browser that comes from elsewhere is sent to the proxy. The proxy
// says who asks in a cookie, and does not look at the application's ACL itself. Pure.
class ProxyPage {
 public:
  struct Facts {
    std::vector<std::string> hosts;  // of the proxy, or of every ResourceManager
    std::string url;                 // of this application there: "http://rm:8088/proxy/redirect/application_…"
  };
  // Nothing where the cluster has HTTPS between proxy and masters, which ydl does not have: `why` then says so.
  struct Choice {
    std::optional<Facts> facts = std::nullopt;
    std::string why = {};
  };
  [[nodiscard]] static Choice choose(const hconf::Config& config, const yarn::ApplicationId& application);

  ProxyPage(Facts facts, std::shared_ptr<const JobAccess> access)
      : facts_(std::move(facts)), access_(std::move(access)) {}

  [[nodiscard]] const std::vector<std::string>& hosts() const { return facts_.hosts; }
  void resolved(std::vector<std::string> addresses) { addresses_ = std::move(addresses); }
  void show(std::function<std::string()> page) { page_ = std::move(page); }
  [[nodiscard]] http::Response answer(const http::ClearCall& call) const;

 private:
  Facts facts_;
  std::shared_ptr<const JobAccess> access_;
  std::vector<std::string> addresses_;
  std::function<std::string()> page_;
};

// The page itself, of what GET /v1/job answers: states and hosts, and nothing that a task has written.
[[nodiscard]] std::string proxy_page_text(std::string_view job_view);

}  // namespace ydl::master

#pragma once

#include "core/result.hpp"
#include "hconf/config.hpp"
#include "http/server.hpp"
#include "master/job_access.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::master {

// What a master answers to the ResourceManager's proxy: one page. Without TLS, as Hadoop's AmIpFilter has it, a caller
// with the address of a proxy host is the proxy, and a browser that comes from elsewhere is sent to the proxy. With
// HTTPS the handshake has shown that the caller is the proxy, and its address does not count. The proxy says who asks
// in a cookie, and does not look at the application's ACL itself. Pure.
class ProxyPage {
 public:
  struct Facts {
    std::vector<std::string> hosts;  // of the proxy, or of every ResourceManager
    std::string url;                 // of this application there: "http://rm:8088/proxy/redirect/application_…"
    std::optional<net::MutualIdentity> identity = std::nullopt;  // set: HTTPS, and neither host nor url count
  };
  // Nothing where there can be no page: `why` then says so.
  struct Choice {
    std::optional<Facts> facts = std::nullopt;
    std::string why = {};
  };
  // `given` is what the ResourceManager gave this master (yarn/proxy_identity.hpp). It decides: the policy that the
  // client has read may not be the ResourceManager's own.
  [[nodiscard]] static Choice choose(const hconf::Config& config, const yarn::ApplicationId& application,
                                     core::Result<std::optional<net::MutualIdentity>> given);

  ProxyPage(Facts facts, std::shared_ptr<const JobAccess> access)
      : facts_(std::move(facts)), access_(std::move(access)) {}

  [[nodiscard]] const std::optional<net::MutualIdentity>& identity() const { return facts_.identity; }
  [[nodiscard]] const std::vector<std::string>& hosts() const { return facts_.hosts; }
  void resolved(std::vector<std::string> addresses) { addresses_ = std::move(addresses); }
  void show(std::function<std::string()> page) { page_ = std::move(page); }
  [[nodiscard]] http::Response answer(const http::KeylessCall& call) const;

 private:
  Facts facts_;
  std::shared_ptr<const JobAccess> access_;
  std::vector<std::string> addresses_;
  std::function<std::string()> page_;
};

// What the owner is told when the job has no page.
[[nodiscard]] std::string why_no_page(std::string_view cause, const yarn::ApplicationId& application);

// The page itself, of what GET /v1/job answers: states and hosts, and nothing that a task has written.
[[nodiscard]] std::string proxy_page_text(std::string_view job_view);

}  // namespace ydl::master

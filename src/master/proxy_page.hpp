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

// The answers of a master to the ResourceManager's proxy: one page. Without TLS a caller with the address of a proxy
// host counts as the proxy, as in Hadoop's AmIpFilter, and other browsers are redirected to the proxy. With HTTPS the
// handshake authenticates the proxy, so its address does not matter. The proxy sends the user's name in a cookie, and
// does not check the application's ACL itself. Pure.
class ProxyPage {
 public:
  struct Facts {
    std::vector<std::string> hosts;  // the hosts of the proxy, or of all ResourceManagers
    std::string url;  // the URL of this application at the proxy: "http://rm:8088/proxy/redirect/application_…"
    std::optional<net::MutualIdentity> identity = std::nullopt;  // set with HTTPS; then hosts and url are not used
  };
  // Nothing if there cannot be a page; then `why` has the reason.
  struct Choice {
    std::optional<Facts> facts = std::nullopt;
    std::string why = {};
  };
  // `given` is the identity from the ResourceManager (yarn/proxy_identity.hpp). It decides about HTTPS, because the
  // client's configuration may differ from that of the ResourceManager.
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

// The message for the owner if the job has no page.
[[nodiscard]] std::string why_no_page(std::string_view cause, const yarn::ApplicationId& application);

// The page itself, from the answer of GET /v1/job. It contains states and hosts, but no output of tasks.
[[nodiscard]] std::string proxy_page_text(std::string_view job_view);

}  // namespace ydl::master

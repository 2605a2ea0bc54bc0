#include "master/job_page.hpp"

#include "core/log.hpp"
#include "net/resolver.hpp"
#include "net/spawn.hpp"

#include <fmt/format.h>

namespace ydl::master {
namespace {

constexpr core::Millis kResolvePatience{10'000};
constexpr core::Millis kProxyLookUp = core::Seconds(300);
// Only the proxy connects, for users who open the page. A handshake takes about a millisecond of the master's only
// thread (the key is RSA), so their number is limited.
constexpr std::size_t kMostUnauthenticated = 32;
constexpr core::Millis kAcceptPause{20};

// The same interval as in Hadoop's AmIpFilter. The last addresses are kept while new ones cannot be found.
net::awaitable<void> look_up_proxy(std::shared_ptr<ProxyPage> page) {
  for (;; co_await net::pause(kProxyLookUp)) {
    std::vector<std::string> found;
    for (const auto& host : page->hosts()) {
      const auto addresses = co_await net::resolve(host, kResolvePatience);
      if (!addresses) {
        core::log("cannot look up the ResourceManager's proxy: {}", addresses.error().message);
        continue;
      }
      for (const auto& address : *addresses) found.push_back(address.to_string());
    }
    if (!found.empty()) page->resolved(std::move(found));
  }
}

}  // namespace

JobPage::JobPage(net::asio::any_io_executor executor, yarn::ApplicationId application, ProxyPage::Choice choice,
                 std::shared_ptr<const JobAccess> access)
    : executor_(std::move(executor)), application_(application), why_not_(std::move(choice.why)) {
  if (choice.facts) page_ = std::make_shared<ProxyPage>(*std::move(choice.facts), std::move(access));
}

void JobPage::listen(const Where& where) {
  if (!page_ || !page_->identity()) return;
  http::ServerOptions options;
  options.address = where.address;
  options.port = where.first;
  options.last_port = where.last;
  options.certified = {*page_->identity(),
                       [page = page_](const http::KeylessCall& call) { return page->answer(call); }};
  options.limits.unauthenticated = kMostUnauthenticated;
  options.limits.accept_pause = kAcceptPause;
  auto server = std::make_unique<http::Server>(executor_, std::move(options));
  if (auto listening = server->listen(); !listening) {
    page_ = nullptr;
    why_not_ = why_no_page(listening.error().message, application_);
    return;
  }
  server_ = std::move(server);
}

std::function<http::Response(const http::KeylessCall&)> JobPage::in_clear() const {
  if (!page_ || page_->identity()) return {};
  return [page = page_](const http::KeylessCall& call) { return page->answer(call); };
}

std::string JobPage::tracking_url(const net::Endpoint& api) const {
  if (!page_) return {};
  if (!server_) return fmt::format("http://{}/", net::describe(api));
  auto own = api;
  own.port = server_->port();
  return fmt::format("https://{}/", net::describe(own));
}

void JobPage::open(Master& master) {
  if (!page_) return master.note(why_not_);
  page_->show([&master, of = std::shared_ptr<const std::string>(), page = std::string()]() mutable {
    if (auto recent = master.recent_view(); recent != of) {
      page = proxy_page_text(*recent);
      of = std::move(recent);
    }
    return page;
  });
  if (!server_) return net::spawn(executor_, "looking up the ResourceManager's proxy", look_up_proxy(page_));
  server_->on_refusals([&master](std::string line) {
    if (!master.finished()) master.note(std::move(line));
  });
}

}  // namespace ydl::master

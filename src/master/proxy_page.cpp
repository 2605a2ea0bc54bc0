#include "master/proxy_page.hpp"

#include "core/json.hpp"
#include "core/strings.hpp"
#include "hconf/services.hpp"
#include "jobs/job_view.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::master {
namespace {

constexpr std::string_view kPolicy = "yarn.resourcemanager.application-https.policy";
constexpr std::string_view kProxyAddress = "yarn.web-proxy.address";
constexpr std::uint16_t kProxyPort = 9099;
constexpr std::string_view kMapped = "::ffff:";  // the prefix of an IPv4 address on an IPv6 socket
constexpr std::string_view kUserCookie = "proxy-user=";

std::string user_of(std::string_view cookies) {
  for (const auto part : core::split(cookies, ';')) {
    const auto cookie = core::trim(part);
    if (cookie.starts_with(kUserCookie)) return std::string(cookie.substr(kUserCookie.size()));
  }
  return {};
}

http::Response text(unsigned status, std::string body) {
  return {status, std::move(body), "text/plain; charset=utf-8"};
}

}  // namespace

std::string why_no_page(std::string_view cause, const yarn::ApplicationId& application) {
  return fmt::format("the ResourceManager cannot show a page of the job: {}; `ydl status {}` shows the job", cause,
                     application.str());
}

ProxyPage::Choice ProxyPage::choose(const hconf::Config& config, const yarn::ApplicationId& application,
                                    core::Result<std::optional<net::MutualIdentity>> given) {
  if (!given) return {.why = why_no_page(given.error().message, application)};
  if (*given) return {.facts = Facts{{}, {}, *std::move(given)}};
  const auto policy = config.get_trimmed(kPolicy);
  if (!policy.empty() && policy != "NONE") {
    const auto cause = fmt::format("{} is {}, but the ResourceManager gave this master no key for HTTPS", kPolicy,
                                   core::printable(policy));
    return {.why = why_no_page(cause, application)};
  }
  const auto managers = hconf::resource_managers(config);
  if (!managers) return {.why = why_no_page(managers.error().message, application)};
  Facts facts;
  const auto& web = managers->front();
  auto base = fmt::format("{}://{}", web.has_https ? "https" : "http", to_string(web.web));
  for (const auto& manager : *managers) facts.hosts.push_back(manager.web.host);
  if (const auto address = config.get_trimmed(kProxyAddress); !address.empty()) {
    const auto proxy = hconf::parse_host_port(address, kProxyPort);
    if (!proxy) return {.why = why_no_page(proxy.error().message, application)};
    facts.hosts = {proxy->host};
    base = fmt::format("{}://{}", web.has_https ? "https" : "http", to_string(*proxy));
  }
  facts.url = fmt::format("{}/proxy/redirect/{}", base, application.str());
  return {.facts = std::move(facts), .why = {}};
}

http::Response ProxyPage::answer(const http::KeylessCall& call) const {
  if (call.method != "GET") {
    return http::Response::error(
        405, facts_.identity ? "the page of a job is read-only" : "this server answers calls over TLS 1.3 only");
  }
  const auto address = call.address.starts_with(kMapped) ? call.address.substr(kMapped.size()) : call.address;
  if (!facts_.identity && std::ranges::find(addresses_, address) == addresses_.end()) {
    auto redirect = text(302, "The ResourceManager's proxy shows this page.\n");
    redirect.location = facts_.url + "/";
    return redirect;
  }
  if (call.target != "/") return text(404, "This server has only the page of the job.\n");
  const auto user = user_of(call.cookie);
  if (access_->acls_enforced() && !access_->may_view(user)) {
    return text(403, fmt::format("{} may not view this job; {} can permit it by name (acl: view in the job file).\n",
                                 user.empty() ? "A user without a name" : core::printable(user), access_->owner()));
  }
  return text(200, page_ ? page_() : "The job is starting.\n");
}

std::string proxy_page_text(std::string_view job_view) {
  const auto object = core::parse_json_object(job_view);
  const auto job = object ? jobs::job_view_from_json(*object) : core::fail(object.error());
  if (!job) return "The job cannot be shown.\n";
  auto page = fmt::format("{}  {}  of {}\nsubmitted {}\n", job->id, job->state.name(), core::printable(job->user),
                          core::format_utc(job->submitted));
  page += "\nTASK  STATE  ATTEMPT  HOST\n";
  for (const auto& task : job->tasks) {
    page += fmt::format("{}  {}  {}  {}\n", task.id.str(), task.state.name(), task.attempt,
                        core::printable(task.node.value_or("")));
  }
  return page +
         fmt::format("\n`ydl status {0}` shows more, `ydl follow {0}` (as {1}) follows it, `ydl kill {0}` stops it.\n",
                     job->id, core::printable(job->user));
}

}  // namespace ydl::master

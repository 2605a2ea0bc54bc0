#include "master/job_access.hpp"

#include "yarn/client_token.hpp"

namespace ydl::master {
namespace {

// A list that cannot be parsed permits no user.
core::AccessList list_of(const std::optional<std::string>& text) {
  return text ? core::parse_access_list(*text).value_or(core::AccessList{}) : core::AccessList{};
}

}  // namespace

void JobAccess::registered(const yarn::Registration& registration) {
  key_ = registration.client_token_key;
  viewers_ = list_of(registration.viewers);
  modifiers_ = list_of(registration.modifiers);
}

std::string JobAccess::short_name(std::string_view principal) const {
  const auto at = principal.find('@');
  if (at == std::string_view::npos || facts_.realm.empty() || principal.substr(at + 1) != facts_.realm) return {};
  const auto name = principal.substr(0, at);
  return name.find('/') == std::string_view::npos ? std::string(name) : std::string();
}

bool JobAccess::may_view(std::string_view user) const {
  return (!user.empty() && user == facts_.owner) || viewers_.names(user);
}

std::optional<http::Guest> JobAccess::guest(std::string_view key) const {
  const auto token = yarn::check_bearer(key, key_);
  if (!token || token->attempt.application != facts_.application) return std::nullopt;
  const auto name = short_name(token->client);
  if (!facts_.acls_enforced && !may_view(name)) return std::nullopt;
  const bool may_modify = !name.empty() && (name == facts_.owner || modifiers_.names(name));
  return http::Guest{name.empty() ? token->client : name, may_modify};
}

JobAccess::Facts access_facts(const hconf::Config& config, const yarn::ApplicationId& application, std::string owner) {
  const auto principal = config.get_trimmed("yarn.resourcemanager.principal");
  const auto at = principal.rfind('@');
  return {.application = application,
          .owner = std::move(owner),
          .acls_enforced = config.get_bool("yarn.acl.enable"),
          .realm = at == std::string::npos ? "" : principal.substr(at + 1)};
}

}  // namespace ydl::master

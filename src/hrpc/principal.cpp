#include "hrpc/principal.hpp"

#include "core/strings.hpp"
#include "core/utf8.hpp"
#include "hrpc/errors.hpp"
#include "hrpc/options.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::hrpc {
namespace {

constexpr std::string_view kHostMark = "_HOST";

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

// * matches any characters and ? exactly one. After a mismatch the last * is extended by one character.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool is_numeric(std::string_view host) {
  return host.find(':') != std::string_view::npos || host.find_first_not_of("0123456789.") == std::string_view::npos;
}

// Whether the configured short host name can belong to this full name.
bool may_be_called(std::string_view host, std::string_view full_name) {
  return host.find('.') == std::string_view::npos && full_name.starts_with(lower(host) + ".");
}

// A name that a server sent, made safe for messages.
std::string shown(std::string_view name) {
  constexpr std::size_t kLongestName = 200;
  return core::shortened(core::printable(name), kLongestName);
}

core::Error not_expected(std::string_view is, std::string_view wanted) {
  return {Errc::unauthenticated, fmt::format("the server's principal is {}, but the configuration expects {}",
                                             shown(is), core::printable(wanted))};
}

}  // namespace

std::string expand_principal(std::string_view pattern, std::string_view host) {
  // As in Java, _HOST is only replaced if it is the whole host component.
  const auto slash = pattern.find('/');
  if (slash == std::string_view::npos) return std::string(pattern);
  const std::string_view rest = pattern.substr(slash + 1);
  const std::string_view component = rest.substr(0, rest.find('@'));
  if (component != kHostMark) return std::string(pattern);
  return fmt::format("{}/{}{}", pattern.substr(0, slash), lower(host), rest.substr(component.size()));
}

bool needs_reverse_name(const Identity& identity, std::string_view host) {
  return identity.principal_pattern.empty() && is_numeric(host) &&
         expand_principal(identity.server_principal, host) != identity.server_principal;
}

core::Result<> check_principal(const ServerPrincipal& server, const Identity& identity, std::string_view host) {
  const std::string is = fmt::format("{}/{}", server.service, lower(server.host));
  if (!identity.principal_pattern.empty()) {
    const std::string_view pattern = identity.principal_pattern;
    if (matches(pattern.substr(0, pattern.find('@')), is)) return {};
    return core::fail(not_expected(is, pattern));
  }
  if (identity.server_principal.empty()) {
    return core::fail(Errc::unauthenticated,
                      fmt::format("the server's principal is {}, but the configuration has no principal to compare it "
                                  "with: set {} to the principal of the service, for example {}/_HOST@REALM",
                                  shown(is), identity.principal_key, shown(server.service)));
  }
  if (needs_reverse_name(identity, host)) {
    return core::fail(Errc::unauthenticated,
                      fmt::format("the server's principal is {}, but its address {} has no name in /etc/hosts or DNS "
                                  "to replace _HOST in {}: configure the server by its name",
                                  shown(is), host, identity.server_principal));
  }
  const std::string wanted = expand_principal(identity.server_principal, host);
  const bool has_host_mark = wanted != identity.server_principal;
  const std::string service = wanted.substr(0, wanted.find('/'));
  if (is == wanted.substr(0, wanted.find('@'))) return {};
  if (has_host_mark && server.service == service && may_be_called(host, lower(server.host))) return {};
  return core::fail(not_expected(is, wanted));
}

std::string ticket_name(const ServerPrincipal& server, const Identity& identity) {
  const auto at = identity.server_principal.find('@');
  const std::string realm = at == std::string::npos ? "" : identity.server_principal.substr(at);
  return fmt::format("{}/{}{}", server.service, lower(server.host), realm);
}

}  // namespace ydl::hrpc

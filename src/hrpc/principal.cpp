#include "hrpc/principal.hpp"

#include "core/strings.hpp"
#include "hrpc/errors.hpp"
#include "hrpc/handshake_fsm.hpp"

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

}  // namespace

std::string expand_principal(std::string_view pattern, std::string_view host) {
  // As in Java only the whole host component is replaced.
  const auto slash = pattern.find('/');
  if (slash == std::string_view::npos) return std::string(pattern);
  const std::string_view rest = pattern.substr(slash + 1);
  const std::string_view component = rest.substr(0, rest.find('@'));
  if (component != kHostMark) return std::string(pattern);
  return fmt::format("{}/{}{}", pattern.substr(0, slash), lower(host), rest.substr(component.size()));
}

core::Result<> check_principal(const ServerPrincipal& server, std::string_view expected, std::string_view host) {
  if (expected.empty()) return {};
  const std::string wanted = expand_principal(expected, host);
  const std::string is = fmt::format("{}/{}", server.service, lower(server.host));
  if (is == wanted.substr(0, wanted.find('@'))) return {};
  return core::fail(Errc::unauthenticated, fmt::format("the server says it is {}, and the configuration expects {}",
                                                       core::printable(is), core::printable(wanted)));
}

}  // namespace ydl::hrpc

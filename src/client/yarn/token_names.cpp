#include "client/yarn/token_names.hpp"

#include "net/resolver.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::client {

net::Async<std::vector<std::string>> token_names(hconf::Config config, hconf::NameService service) {
  if (!service.token_service.empty()) co_return std::vector{service.token_service};
  const auto& server = service.servers.front();
  const auto addresses = co_await net::resolve(server.host, core::Seconds(10));
  if (!addresses) co_return core::fail(addresses.error());
  std::vector names{fmt::format("{}:{}", addresses->front().to_string(), server.port), to_string(server)};
  if (!config.get_bool("hadoop.security.token.service.use_ip")) std::ranges::reverse(names);
  co_return names;
}

void add_names(yarn::Credentials& credentials, const std::vector<std::string>& names) {
  const auto found = std::ranges::find_if(credentials.tokens, [&](const auto& entry) {
    return entry.second.kind == hrpc::kHdfsToken && std::ranges::find(names, entry.second.service) != names.end();
  });
  if (found == credentials.tokens.end()) return;
  const auto token = found->second;
  for (const auto& name : names) {
    credentials.tokens[name] = token;
    credentials.tokens[name].service = name;
  }
}

}  // namespace ydl::client

#include "yarn/configured.hpp"

#include "hconf/services.hpp"
#include "yarn/token_identifiers.hpp"

#include <ranges>

namespace ydl::yarn {
namespace {

using Port = hconf::HostPort hconf::ResourceManager::*;

core::Result<hrpc::ClientOptions> options_for(const hconf::Config& config, Port port, std::string_view token_kind,
                                              const hrpc::Credentials& credentials) {
  const auto managers = hconf::resource_managers(config);
  if (!managers) return core::fail(managers.error());
  std::vector<hconf::HostPort> servers;
  for (const auto& manager : *managers) servers.push_back(manager.*port);
  return hrpc::resource_manager_options(config, std::move(servers), token_kind, credentials);
}

}  // namespace

core::Result<hrpc::ClientOptions> client_rm_options(const hconf::Config& config, const hrpc::Credentials& credentials) {
  return options_for(config, &hconf::ResourceManager::client, kRmDelegationToken, credentials);
}

core::Result<hrpc::ClientOptions> app_master_options(const hconf::Config& config,
                                                     const hrpc::Credentials& credentials) {
  return options_for(config, &hconf::ResourceManager::scheduler, kAmRmToken, credentials);
}

std::vector<hrpc::Token> tokens_of(const Credentials& credentials) {
  const auto tokens = credentials.tokens | std::views::values;
  return {tokens.begin(), tokens.end()};
}

}  // namespace ydl::yarn

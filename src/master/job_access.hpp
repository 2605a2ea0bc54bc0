#pragma once

#include "core/access_list.hpp"
#include "hconf/config.hpp"
#include "http/gate.hpp"
#include "yarn/allocation.hpp"
#include "yarn/ids.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace ydl::master {

// Which users besides its owner may call the master of a job on YARN, by the ACLs of its application. Pure.
//
// No other user may before the master has registered. Afterwards a caller shows YARN's client-to-AM token
// (yarn/client_token.hpp). If the cluster enforces ACLs, the ResourceManager gives the token only to users who may view
// the application, including members of permitted groups. A valid token is then enough to view the job. Otherwise all
// users get a token, and the list of viewers must contain the user. The list of modifiers must always contain the user,
// because the groups of a user are not known here; members of permitted groups can stop the application through the
// ResourceManager.
class JobAccess {
 public:
  struct Facts {
    yarn::ApplicationId application = {};
    std::string owner = {};      // of the job
    bool acls_enforced = false;  // yarn.acl.enable
    std::string realm = {};      // of the cluster; principals of other realms are not accepted
  };
  explicit JobAccess(Facts facts) : facts_(std::move(facts)) {}

  void registered(const yarn::Registration& registration);
  // The user of this key; nothing if the key is not valid.
  [[nodiscard]] std::optional<http::Guest> guest(std::string_view key) const;
  // Whether the user is the owner or is named in the list of viewers.
  [[nodiscard]] bool may_view(std::string_view user) const;
  [[nodiscard]] bool acls_enforced() const { return facts_.acls_enforced; }
  [[nodiscard]] const std::string& owner() const { return facts_.owner; }

 private:
  // "alice" of "alice@EXAMPLE.ORG"; empty for services and other realms.
  [[nodiscard]] std::string short_name(std::string_view principal) const;

  Facts facts_;
  std::string key_;
  core::AccessList viewers_;
  core::AccessList modifiers_;
};

[[nodiscard]] JobAccess::Facts access_facts(const hconf::Config& config, const yarn::ApplicationId& application,
                                            std::string owner);

}  // namespace ydl::master

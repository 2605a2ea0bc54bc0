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

// Who besides its owner may call the master of a job on YARN, by the ACLs of its application. Pure.
//
// Until the master has registered nobody may. Afterwards a caller shows YARN's client-to-AM token
// (yarn/client_token.hpp). Where the cluster enforces ACLs the ResourceManager gives it only to users who may view the
// application, by their groups too, so a genuine token is enough to view. Where it does not, everybody gets one, and
// the list of viewers must name the user. The list of modifiers must name the user in either case: the groups of a user
// are not known here, but the ResourceManager stops the application for their members.
class JobAccess {
 public:
  struct Facts {
    yarn::ApplicationId application = {};
    std::string owner = {};      // of the job
    bool acls_enforced = false;  // yarn.acl.enable
    std::string realm = {};      // of the cluster; principals of others have no name here
  };
  explicit JobAccess(Facts facts) : facts_(std::move(facts)) {}

  void registered(const yarn::Registration& registration);
  // Whose key it is; nothing where it opens nothing.
  [[nodiscard]] std::optional<http::Guest> guest(std::string_view key) const;
  // Whether the user is the owner or on the list of viewers by name.
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

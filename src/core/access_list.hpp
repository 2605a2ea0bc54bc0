#pragma once

#include "core/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ydl::core {

// The users and groups that may do something, in YARN's notation: users separated by commas, one space, groups
// separated by commas ("alice,bob ml-team"). "*" means every user and a single space means no user. Only the cluster
// can tell which groups a user belongs to; this class cannot.
struct AccessList {
  bool everybody = false;
  std::vector<std::string> users = {};
  std::vector<std::string> groups = {};

  // Whether the list contains this user's name (or is "*"). Groups are not considered.
  [[nodiscard]] bool names(std::string_view user) const;
  bool operator==(const AccessList&) const = default;
};

// Errors: usage. "alice, bob" is an error because YARN would read bob as a group.
[[nodiscard]] Result<AccessList> parse_access_list(std::string_view text);

}  // namespace ydl::core

#pragma once

#include "core/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ydl::core {

// Who may do something, as YARN writes it: users with commas, a space, groups with commas ("alice,bob ml-team").
// "*" is everybody, a single space nobody. Which groups a user is in is known to the cluster and not here.
struct AccessList {
  bool everybody = false;
  std::vector<std::string> users = {};
  std::vector<std::string> groups = {};

  // Whether it allows the user by name.
  [[nodiscard]] bool names(std::string_view user) const;
  bool operator==(const AccessList&) const = default;
};

// Errors: usage. "alice, bob" is one: YARN would take bob for a group.
[[nodiscard]] Result<AccessList> parse_access_list(std::string_view text);

}  // namespace ydl::core

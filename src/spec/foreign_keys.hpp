#pragma once

#include <string>
#include <string_view>

namespace ydl::spec {

// "; write count" for a key of skein, tf-yarn or Kubernetes whose meaning another key has here, else nothing. `place`
// is that of the mapping, as Fields has it: "", "role 'worker'", "resources of role 'worker'".
[[nodiscard]] std::string foreign_key_hint(std::string_view place, std::string_view key);

}  // namespace ydl::spec

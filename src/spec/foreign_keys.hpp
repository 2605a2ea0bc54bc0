#pragma once

#include <string>
#include <string_view>

namespace ydl::spec {

// "; write count" for a key of skein, tf-yarn or Kubernetes that has another name in ydl; "" for other keys. `place` is
// that of the mapping in Fields: "", "role 'worker'", "resources of role 'worker'".
[[nodiscard]] std::string foreign_key_hint(std::string_view place, std::string_view key);

}  // namespace ydl::spec

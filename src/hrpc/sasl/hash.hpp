#pragma once

#include <string>
#include <string_view>

namespace ydl::hrpc::sasl {

[[nodiscard]] std::string md5(std::string_view bytes);                             // 16 raw bytes
[[nodiscard]] std::string hmac_md5(std::string_view key, std::string_view bytes);  // 16 raw bytes
[[nodiscard]] std::string to_hex(std::string_view bytes);                          // lower case

}  // namespace ydl::hrpc::sasl

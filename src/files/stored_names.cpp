#include "files/stored_names.hpp"

#include "core/strings.hpp"

#include <charconv>

#include <fmt/format.h>

namespace ydl::files {
namespace {

std::string escaped(char byte) {
  return fmt::format("%{:02X}", static_cast<unsigned char>(byte));
}

std::optional<char> unescaped(std::string_view digits) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.size() != 2 || error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return static_cast<char>(value);
}

}  // namespace

std::string stored_name(std::string_view name) {
  std::string stored;
  if (name == kManifestName) {
    stored = escaped(name.front());
    name.remove_prefix(1);
  }
  while (!name.empty()) {
    const auto length = core::utf8_length(name);
    const bool plain = length > 0 && name.front() != ':' && name.front() != '%';
    stored += plain ? std::string(name.substr(0, length)) : escaped(name.front());
    name.remove_prefix(plain ? length : 1);
  }
  return stored;
}

std::string stored_path(std::string_view path) {
  std::string stored;
  for (const auto name : core::split(path, '/')) {
    if (!stored.empty()) stored.push_back('/');
    stored += stored_name(name);
  }
  return stored;
}

std::optional<std::string> original_name(std::string_view stored) {
  std::string name;
  while (!stored.empty()) {
    if (stored.front() != '%') {
      name.push_back(stored.front());
      stored.remove_prefix(1);
      continue;
    }
    const auto byte = unescaped(stored.substr(1, 2));
    if (!byte || *byte == '/' || *byte == '\0') return std::nullopt;
    name.push_back(*byte);
    stored.remove_prefix(3);
  }
  if (name.empty() || name == "." || name == "..") return std::nullopt;
  return name;
}

}  // namespace ydl::files

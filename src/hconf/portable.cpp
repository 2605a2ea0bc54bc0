#include "hconf/portable.hpp"

#include <algorithm>

namespace ydl::hconf {
namespace {

// "dfs.ha.namenodes.<nameservice>" matches every key with this prefix.
bool is_of(std::string_view key, const KnownKey& known) {
  const auto open = known.name.find('<');
  if (open == std::string_view::npos) return key == known.name;
  return key.size() > open && key.starts_with(known.name.substr(0, open));
}

bool is_known(std::string_view key) {
  return std::ranges::any_of(known_keys(), [key](const KnownKey& known) { return is_of(key, known); });
}

}  // namespace

std::map<std::string, std::string> to_map(const Config& config) {
  std::map<std::string, std::string> values;
  for (const auto& key : config.keys_with("")) {
    if (is_known(key)) values.emplace(key, config.get(key).value_or(""));
  }
  return values;
}

Config from_map(const std::map<std::string, std::string>& values, std::string_view source) {
  std::vector<Property> properties;
  for (const auto& [key, value] : values) properties.push_back({key, value, false, std::string(source)});
  Config config;
  config.add(properties);
  return config;
}

}  // namespace ydl::hconf

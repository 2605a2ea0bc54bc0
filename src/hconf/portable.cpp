#include "hconf/portable.hpp"

#include <array>

namespace ydl::hconf {
namespace {

constexpr auto kPrefixes = std::to_array<std::string_view>({"fs.", "dfs.", "hadoop.", "ipc.", "io.", "net.", "yarn."});

}  // namespace

std::map<std::string, std::string> to_map(const Config& config) {
  std::map<std::string, std::string> values;
  for (const auto prefix : kPrefixes) {
    for (const auto& key : config.keys_with(prefix)) values.emplace(key, config.get(key).value_or(""));
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

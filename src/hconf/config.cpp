#include "hconf/config.hpp"

#include "core/strings.hpp"
#include "hconf/values.hpp"

#include <set>
#include <utility>

#include <fmt/format.h>

namespace ydl::hconf {
namespace {

constexpr int kMaxExpansions = 20;  // per value, as in Hadoop's Java code
constexpr std::string_view kByHand = "the command line";

struct Variable {
  std::size_t at = 0;    // of "${"
  std::size_t size = 0;  // including the braces
  std::string_view name;
};

// The first "${name}" without another one inside it. A name contains no '$', '}' or space.
std::optional<Variable> find_variable(std::string_view text) {
  for (auto open = text.find("${"); open != std::string_view::npos; open = text.find("${", open + 1)) {
    const auto rest = text.substr(open + 2);
    const auto end = rest.find_first_of("}$ ");
    if (end == std::string_view::npos || rest[end] != '}' || end == 0) continue;
    return Variable{open, end + 3, rest.substr(0, end)};
  }
  return std::nullopt;
}

}  // namespace

Config::Config(core::Getenv getenv) : getenv_(std::move(getenv)) {}

void Config::add(std::span<const Property> properties) {
  for (const auto& property : properties) {
    auto& slot = properties_[std::string(current_name(property.name))];
    if (!slot.is_final) slot = property;
  }
}

void Config::set(std::string_view key, std::string value) {
  const auto name = current_name(key);
  properties_[std::string(name)] = {std::string(name), std::move(value), true, std::string(kByHand)};
}

const Property* Config::find(std::string_view key) const {
  const auto found = properties_.find(current_name(key));
  return found == properties_.end() ? nullptr : &found->second;
}

std::optional<std::string> Config::raw(std::string_view key) const {
  if (const auto* property = find(key)) return property->value;
  if (const auto value = default_of(current_name(key))) return std::string(*value);
  return std::nullopt;
}

std::optional<std::string> Config::get(std::string_view key) const {
  auto value = raw(key);
  if (!value) return std::nullopt;
  return expand(*std::move(value));
}

// As in Hadoop's Java code, a variable that cannot be resolved, or that refers to itself, is left as it is.
std::string Config::expand(std::string text) const {
  std::set<std::string, std::less<>> seen;
  std::string written = text;
  for (int i = 0; i < kMaxExpansions; ++i) {
    const auto found = find_variable(text);
    if (!found) return text;
    const auto value = variable(found->name);
    if (!value) return text;
    if (!seen.emplace(found->name).second && value->find("${") != std::string::npos) return written;
    text.replace(found->at, found->size, *value);
  }
  return text;
}

std::optional<std::string> Config::variable(std::string_view name) const {
  constexpr std::string_view kEnvironment = "env.";
  if (name.starts_with(kEnvironment)) {
    // ${env.NAME}, ${env.NAME-if unset}, ${env.NAME:-if unset or empty}
    const auto rest = name.substr(kEnvironment.size());
    const auto dash = rest.find('-');
    const bool also_empty = dash != std::string_view::npos && dash > 0 && rest[dash - 1] == ':';
    const auto variable_name = rest.substr(0, dash == std::string_view::npos ? dash : dash - (also_empty ? 1 : 0));
    auto value = getenv_(std::string(variable_name).c_str());
    if (value && !(also_empty && value->empty())) return value;
    if (dash == std::string_view::npos) return std::nullopt;
    return std::string(rest.substr(dash + 1));
  }
  // System properties of the JVM that are common in configurations.
  if (name == "user.name") return core::user_name(getenv_);
  if (name == "user.home") {
    if (auto home = core::home_directory(getenv_)) return home->string();
  }
  if (name == "java.io.tmpdir") return "/tmp";
  return raw(name);
}

std::string Config::get_trimmed(std::string_view key) const {
  return std::string(core::trim(get(key).value_or("")));
}

std::vector<std::string> Config::get_list(std::string_view key) const {
  std::vector<std::string> parts;
  for (const auto part : core::split(get_trimmed(key), ',')) {
    if (const auto trimmed = core::trim(part); !trimmed.empty()) parts.emplace_back(trimmed);
  }
  return parts;
}

bool Config::get_bool(std::string_view key) const {
  const auto is = [&](std::string_view text) { return parse_truth(core::trim(text)); };
  if (const auto value = is(get(key).value_or(""))) return *value;
  return is(default_of(current_name(key)).value_or("false")).value_or(false);
}

core::Error Config::malformed(std::string_view key, std::string_view what) const {
  return {core::Errc::usage,
          fmt::format("{}: {} is '{}'; it must be {}", source_of(key), key, core::printable(get_trimmed(key)), what)};
}

core::Result<std::int64_t> Config::get_int(std::string_view key) const {
  if (const auto value = parse_whole(get_trimmed(key))) return *value;
  return core::fail(malformed(key, "a whole number"));
}

core::Result<std::int64_t> Config::get_bytes(std::string_view key) const {
  if (const auto value = parse_size(get_trimmed(key))) return *value;
  return core::fail(malformed(key, "a size such as 134217728 or 128m"));
}

core::Result<core::Millis> Config::get_time(std::string_view key, core::Millis unit) const {
  if (const auto value = parse_time(get_trimmed(key), unit)) return *value;
  return core::fail(malformed(key, "a time such as 30s or 500ms"));
}

bool Config::is_set(std::string_view key) const {
  return find(key) != nullptr;
}

std::string Config::source_of(std::string_view key) const {
  const auto* property = find(key);
  return property != nullptr ? property->source : "the defaults";
}

std::vector<std::string> Config::keys_with(std::string_view prefix) const {
  std::vector<std::string> keys;
  for (auto it = properties_.lower_bound(prefix); it != properties_.end() && it->first.starts_with(prefix); ++it) {
    keys.push_back(it->first);
  }
  return keys;
}

}  // namespace ydl::hconf

#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"
#include "core/user.hpp"
#include "hconf/host_port.hpp"
#include "hconf/site_file.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::hconf {

// Hadoop's configuration: defaults, the properties of site files over them, and what the command line sets over those.
// Keys may be written in their old names; values are expanded (${...}) when they are read. A plain value: copy it.
class Config {
 public:
  // With the defaults of defaults.cpp. `getenv` answers ${env.NAME} and says who the user is (${user.name}).
  explicit Config(core::Getenv getenv = core::process_getenv);

  // A later property overrides an earlier one, unless that one was final.
  void add(std::span<const Property> properties);
  // Overrides everything, final or not.
  void set(std::string_view key, std::string value);

  // The expanded value; the default where the files do not say; nothing where there is no default either.
  [[nodiscard]] std::optional<std::string> get(std::string_view key) const;
  // Without the white space around it; "" when there is none.
  [[nodiscard]] std::string get_trimmed(std::string_view key) const;
  // Split at commas, each part trimmed, empty parts dropped.
  [[nodiscard]] std::vector<std::string> get_list(std::string_view key) const;

  // These have a default each, compiled in or given. A value that is not of the type is an Error (usage) that names
  // file, key and value; a truth value is true, false, or the default, as in Java.
  [[nodiscard]] bool get_bool(std::string_view key) const;
  [[nodiscard]] core::Result<std::int64_t> get_int(std::string_view key) const;
  [[nodiscard]] core::Result<std::int64_t> get_bytes(std::string_view key) const;  // "128m"; a bare number is bytes
  // "30s", "500ms"; a bare number is in `unit`.
  [[nodiscard]] core::Result<core::Millis> get_time(std::string_view key, core::Millis unit) const;

  // Whether a file or the command line sets it.
  [[nodiscard]] bool is_set(std::string_view key) const;
  // Where its value comes from: "yarn-site.xml:12", "the defaults".
  [[nodiscard]] std::string source_of(std::string_view key) const;
  // Keys that are set and begin with `prefix`.
  [[nodiscard]] std::vector<std::string> keys_with(std::string_view prefix) const;

 private:
  [[nodiscard]] const Property* find(std::string_view key) const;
  [[nodiscard]] std::optional<std::string> raw(std::string_view key) const;
  [[nodiscard]] std::optional<std::string> variable(std::string_view name) const;
  [[nodiscard]] std::string expand(std::string text) const;
  [[nodiscard]] core::Error malformed(std::string_view key, std::string_view what) const;

  core::Getenv getenv_;
  std::map<std::string, Property, std::less<>> properties_;
};

// The value of a key that has one compiled in.
[[nodiscard]] std::optional<std::string_view> default_of(std::string_view key);
// The name a key has today: "fs.default.name" is "fs.defaultFS".
[[nodiscard]] std::string_view current_name(std::string_view key);

// Every key ydl reads, for the documentation and its test. "<ns>" and the like stand for a name.
struct KnownKey {
  std::string_view name;
  std::string_view fallback;  // "" when there is none
};
[[nodiscard]] std::span<const KnownKey> known_keys();

}  // namespace ydl::hconf

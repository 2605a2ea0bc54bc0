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

// Hadoop's configuration: the defaults, overridden by the site files, overridden by the command line. Deprecated names
// of keys work too. Values are expanded (${...}) when they are read. The class is a plain value and can be copied.
class Config {
 public:
  // Starts with the defaults of defaults.cpp. `getenv` is used for ${env.NAME} and ${user.name}.
  explicit Config(core::Getenv getenv = core::process_getenv);

  // A later property overrides an earlier one, unless the earlier one is final.
  void add(std::span<const Property> properties);
  // Overrides any other value, also a final one.
  void set(std::string_view key, std::string value);

  // The expanded value: the one that is set, or else the default, or else nothing.
  [[nodiscard]] std::optional<std::string> get(std::string_view key) const;
  // The value without the white space around it; "" if there is no value.
  [[nodiscard]] std::string get_trimmed(std::string_view key) const;
  // Split at commas, each part trimmed, empty parts dropped.
  [[nodiscard]] std::vector<std::string> get_list(std::string_view key) const;

  // The next functions are for keys with a default. A value of another type is an Error (usage) with file, key and
  // value, except for get_bool(): like Hadoop's Java code it returns the default for anything but "true" and "false".
  [[nodiscard]] bool get_bool(std::string_view key) const;
  [[nodiscard]] core::Result<std::int64_t> get_int(std::string_view key) const;
  // "128m"; a number without a unit is in bytes
  [[nodiscard]] core::Result<std::int64_t> get_bytes(std::string_view key) const;
  // "30s", "500ms"; a number without a unit is in `unit`.
  [[nodiscard]] core::Result<core::Millis> get_time(std::string_view key, core::Millis unit) const;

  // Whether a file or the command line sets it.
  [[nodiscard]] bool is_set(std::string_view key) const;
  // The origin of the value: "yarn-site.xml:12", "the defaults".
  [[nodiscard]] std::string source_of(std::string_view key) const;
  // The keys that are set and start with `prefix`.
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

// The compiled-in default of a key, if it has one.
[[nodiscard]] std::optional<std::string_view> default_of(std::string_view key);
// The current name of a key: "fs.defaultFS" for the deprecated "fs.default.name".
[[nodiscard]] std::string_view current_name(std::string_view key);

// Every key that ydl reads, for the documentation and its test. Parts such as "<id>" are placeholders for names.
struct KnownKey {
  std::string_view name;
  std::string_view fallback;  // "" if there is none
};
[[nodiscard]] std::span<const KnownKey> known_keys();

}  // namespace ydl::hconf

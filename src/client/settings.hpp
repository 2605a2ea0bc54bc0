#pragma once

#include "core/result.hpp"
#include "core/user.hpp"
#include "spec/settings.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace ydl::client {

inline constexpr const char* kSiteSettings = "/etc/ydl/config.yaml";

// The text of a file; nothing if it does not exist.
using ReadSettings = std::function<core::Result<std::optional<std::string>>(const std::filesystem::path&)>;
[[nodiscard]] core::Result<std::optional<std::string>> read_settings_file(const std::filesystem::path& path);

// The user's file, $XDG_CONFIG_HOME/ydl/config.yaml or ~/.config/ydl/config.yaml, overrides the site's. Errors: a file
// cannot be read or parsed.
[[nodiscard]] core::Result<spec::Settings> load_settings(const core::Getenv& getenv = core::process_getenv,
                                                         const ReadSettings& read = read_settings_file);

}  // namespace ydl::client

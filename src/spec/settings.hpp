#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace ydl::spec {

// The settings in config.yaml for all jobs of a user or a site.
struct Settings {
  std::optional<core::Millis> keep_jobs;        // jobs that ended longer ago are deleted, here and on HDFS; empty: none
  std::optional<std::string> site_cache;        // a folder of HDFS with a cache for all users; empty: none
  std::optional<std::string> site_cache_owner;  // the user who owns it; empty: the owner of HDFS's "/"

  bool operator==(const Settings&) const = default;
};

inline constexpr core::Millis kShortestKeep = std::chrono::hours(24);

// Parses the settings and reports problems like parse_job(). An empty file is valid. Errors: usage.
[[nodiscard]] core::Result<Settings> parse_settings(std::string_view text, std::string_view file_name);

// The settings of `over`; those that it does not have are taken from `under`.
[[nodiscard]] Settings merge(Settings over, const Settings& under);

}  // namespace ydl::spec

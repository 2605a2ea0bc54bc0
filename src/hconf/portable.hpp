#pragma once

#include "hconf/config.hpp"

#include <map>
#include <string>
#include <string_view>

namespace ydl::hconf {

// The part of the configuration that another machine needs to use the same cluster: the keys that ydl reads
// (known_keys()) and that files or the command line set, with their values expanded on this machine. All other keys are
// left out, because site files also contain passwords of object stores and key stores (such as fs.s3a.secret.key).
[[nodiscard]] std::map<std::string, std::string> to_map(const Config& config);

// `source` is used in messages instead of a file name.
[[nodiscard]] Config from_map(const std::map<std::string, std::string>& values, std::string_view source);

}  // namespace ydl::hconf

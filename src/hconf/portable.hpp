#pragma once

#include "hconf/config.hpp"

#include <map>
#include <string>
#include <string_view>

namespace ydl::hconf {

// What another machine needs to speak to the same cluster: the keys that ydl reads (known_keys()) and that files or the
// command line set, with their values as they are read here. Site files also hold passwords of object stores and key
// stores (fs.s3a.secret.key and the like), so every other key stays here.
[[nodiscard]] std::map<std::string, std::string> to_map(const Config& config);

// `source` stands in messages where a file's name would.
[[nodiscard]] Config from_map(const std::map<std::string, std::string>& values, std::string_view source);

}  // namespace ydl::hconf

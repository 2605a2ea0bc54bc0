#pragma once

#include "hconf/config.hpp"

#include <map>
#include <string>
#include <string_view>

namespace ydl::hconf {

// What another machine needs to speak to the same cluster: the keys of Hadoop's own services (fs., dfs., hadoop., ipc.,
// io., net., yarn.) that files or the command line set, with their values as they are read here.
[[nodiscard]] std::map<std::string, std::string> to_map(const Config& config);

// `source` stands in messages where a file's name would.
[[nodiscard]] Config from_map(const std::map<std::string, std::string>& values, std::string_view source);

}  // namespace ydl::hconf

#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"

#include <string>
#include <string_view>

// Functions for HDFS paths. They do no I/O.
namespace ydl::hdfs {

// Converts a path of a user ("hdfs://ns/a", "hdfs:///a", "/a/../b", "a") to an absolute path without scheme, "." and
// "..". Relative paths start at `home`. Errors: usage.
[[nodiscard]] core::Result<std::string> resolve_path(std::string_view text, std::string_view authority,
                                                     std::string_view home);

// Checks that HDFS can store this name. The NameNode would silently change invalid UTF-8 to another name. Errors:
// usage.
[[nodiscard]] core::Result<> check_name(std::string_view name);

// "/a/b" + "c" = "/a/b/c"; "/" + "c" = "/c".
[[nodiscard]] std::string join_path(std::string_view directory, std::string_view name);
[[nodiscard]] std::string_view parent_path(std::string_view path);
[[nodiscard]] std::string_view base_name(std::string_view path);
// Whether `path` is `directory` or below it.
[[nodiscard]] bool is_below(std::string_view path, std::string_view directory);

// The user's trash, "/user/NAME/.Trash", and the path of a deleted file in it, "/user/NAME/.Trash/Current" followed by
// its old path.
[[nodiscard]] std::string trash_root(std::string_view home);
[[nodiscard]] std::string trash_path(std::string_view home, std::string_view path);

}  // namespace ydl::hdfs

#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"

#include <string>
#include <string_view>

// Paths of HDFS: text, no I/O.
namespace ydl::hdfs {

// An absolute path without scheme, "." and ".." from what a person writes: "hdfs://ns/a", "hdfs:///a", "/a/../b", "a".
// Relative ones begin at `home`. Errors: usage.
[[nodiscard]] core::Result<std::string> resolve_path(std::string_view text, std::string_view authority,
                                                     std::string_view home);

// Whether HDFS can have a file of that name at all: the NameNode would quietly make another one of it. Errors: usage.
[[nodiscard]] core::Result<> check_name(std::string_view name);

// "/a/b" + "c" = "/a/b/c"; "/" + "c" = "/c".
[[nodiscard]] std::string join_path(std::string_view directory, std::string_view name);
[[nodiscard]] std::string_view parent_path(std::string_view path);
[[nodiscard]] std::string_view base_name(std::string_view path);
// Whether `path` is `directory` or below it.
[[nodiscard]] bool is_below(std::string_view path, std::string_view directory);

// Where a user's deleted things go: "/user/NAME/.Trash/Current", and the deleted thing's own path below it.
[[nodiscard]] std::string trash_root(std::string_view home);
[[nodiscard]] std::string trash_path(std::string_view home, std::string_view path);

}  // namespace ydl::hdfs

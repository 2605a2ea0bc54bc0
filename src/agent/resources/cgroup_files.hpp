#pragma once

#include "core/result.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The text files of cgroups.
namespace ydl::agent {

// The path of `controller` in the text of /proc/self/cgroup; "" is the one of version 2. A line of version 1 may name
// several controllers.
[[nodiscard]] std::optional<std::string> own_cgroup(std::string_view text, std::string_view controller);

// The controllers that the same line names: "cpu,cpuacct", which is how the directory may be called.
[[nodiscard]] std::optional<std::string> mounted_together(std::string_view text, std::string_view controller);

// The number behind `key` in lines "KEY NUMBER".
[[nodiscard]] std::optional<std::uint64_t> keyed_number(std::string_view text, std::string_view key);

// The words of a file such as cgroup.controllers; empty if it cannot be read.
[[nodiscard]] std::vector<std::string> words_of(const std::filesystem::path& file);

[[nodiscard]] std::optional<std::uint64_t> number_of(const std::filesystem::path& file);

// Writes a value to an existing file with a single write().
[[nodiscard]] core::Result<void> set_value(const std::filesystem::path& file, std::string_view value);

// Whether this process may make directories in `directory` and move processes into it.
[[nodiscard]] bool may_manage(const std::filesystem::path& directory);

}  // namespace ydl::agent

#pragma once

#include "protocol/commands.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// The C library of a host, which must not be older than the programs of an environment require.
namespace ydl::agent {

// "2.36", from the file libc.so.6 below `root`; empty if it cannot be read. This program is static and has its own.
[[nodiscard]] std::string node_glibc(const std::filesystem::path& root);

// The newest version in the text of a C library: "GLIBC_2.36".
[[nodiscard]] std::string newest_glibc(std::string_view bytes);

struct GlibcProblem {
  std::string error;  // no program of the environment can start
  std::string note;   // some files of its packages may not be loaded
};
// Both empty if the host's version is new enough or not known. Pure.
[[nodiscard]] GlibcProblem check_glibc(const std::vector<protocol::PackedFolder>& packed, std::string_view host);

}  // namespace ydl::agent

#pragma once

#include "backend/packing/file_tree.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

// The libraries of this machine that programs and libraries of an environment need, so that hosts need only glibc.
namespace ydl::backend {

struct NativeLibrary {
  std::string name;  // as others name it: "libssl.so.3"
  std::filesystem::path path;
};

struct NativeNeeds {
  std::vector<NativeLibrary> libraries;
  std::string glibc;           // required by the interpreter, its standard library, and the libraries they need
  std::string packages_glibc;  // required by any other file
};

struct NativeOptions {
  // Whether a member belongs to the interpreter and not to a package.
  std::function<bool(const std::string& name)> is_interpreter;
  // Where the loader looks, in this order.
  std::vector<std::filesystem::path> folders;
};

// The folders in which this machine's loader looks: LD_LIBRARY_PATH, those of /etc/ld.so.conf, and the usual ones.
[[nodiscard]] std::vector<std::filesystem::path> loader_folders();

// glibc itself and libraries of GPU drivers, which must be those of the host.
[[nodiscard]] bool belongs_to_host(const std::string& library);

// Follows the needs of all files that are programs or libraries. A library that a package contains is not taken
// for packages. A library that this machine does not have is left out: the package does not use it here either.
[[nodiscard]] NativeNeeds native_needs(const FileTree& tree, const NativeOptions& options);

}  // namespace ydl::backend

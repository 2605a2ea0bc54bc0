#pragma once

#include <string>
#include <vector>

namespace ydl::cli {

// A library that is part of the binary.
struct LinkedLibrary {
  std::string name;
  std::string version;  // as the library itself tells it
  std::string licence;  // SPDX
};

[[nodiscard]] std::vector<LinkedLibrary> linked_libraries();

// What `ydl --version --verbose` prints: ydl, its compiler, and every library with version and licence.
[[nodiscard]] std::string version_text();

}  // namespace ydl::cli

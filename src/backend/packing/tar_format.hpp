#pragma once

#include <cstdint>
#include <string>

namespace ydl::backend {

// One member of a tar archive. An archive is, for each member, its header, its content and padding, and at the end
// kTarEnd bytes of zeros.
struct TarEntry {
  enum class Kind { file, directory, link };

  std::string name;  // relative, without a slash at the end
  Kind kind = Kind::file;
  std::uint32_t mode = 0644;
  std::uint64_t size = 0;   // of a file's content
  std::string link_target;  // of a link

  bool operator==(const TarEntry&) const = default;
};

inline constexpr std::size_t kTarBlock = 512;
inline constexpr std::size_t kTarEnd = 2 * kTarBlock;

// Encodes equal members always to the same bytes: the owner is 0 and the time is fixed. Names and sizes that do not fit
// into a header go into a pax header before it.
[[nodiscard]] std::string tar_header(const TarEntry& entry);

// The number of zeros between a content of this size and the next header.
[[nodiscard]] std::size_t tar_padding(std::uint64_t size);

}  // namespace ydl::backend

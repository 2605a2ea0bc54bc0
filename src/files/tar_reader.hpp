#pragma once

#include "core/result.hpp"
#include "files/zstd_stream.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace ydl::files {

// A member of a tar archive as it was read: nothing of it is trusted.
struct TarMember {
  enum class Kind { file, directory, link };

  std::string name;  // relative, without '.', '..' and empty parts
  Kind kind = Kind::file;
  bool is_program = false;  // its owner may execute it
  std::uint64_t size = 0;   // of a file's content
  std::string link_target;  // of a link
};

// Reads archives in the format ustar with pax headers for long names and large sizes, as ydl writes them.
class TarReader {
 public:
  explicit TarReader(ReadBytes source) : source_(std::move(source)) {}

  // The next member; nothing at the end of the archive. What read() has left of the last content is skipped.
  // Errors: those of the source; corrupt.
  [[nodiscard]] core::Result<std::optional<TarMember>> next();
  // The next bytes of the member's content; 0 at its end. Errors: the same.
  [[nodiscard]] core::Result<std::size_t> read(std::span<char> into);

 private:
  struct LongFields {
    std::optional<std::string> name;
    std::optional<std::string> link_target;
    std::optional<std::uint64_t> size;
  };

  // Reads the whole block. Errors: the archive is cut off.
  [[nodiscard]] core::Result<void> fill(std::span<char> block);
  [[nodiscard]] core::Result<void> skip(std::uint64_t bytes);
  [[nodiscard]] core::Result<LongFields> read_long_fields(std::uint64_t size);

  ReadBytes source_;
  std::uint64_t left_ = 0;     // of the current content
  std::uint64_t padding_ = 0;  // behind it
};

// Whether a name is relative and stays below the folder it starts from, at a depth and length that no program needs to
// exceed.
[[nodiscard]] bool is_inside(std::string_view name);

}  // namespace ydl::files

#pragma once

#include "backend/packing/file_tree.hpp"
#include "core/result.hpp"

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace ydl::backend {

// Bytes in pieces, each valid until the next is asked for. Content is read twice, for its hash and for its upload, and
// never held as a whole.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  // Empty at the end. Errors: it cannot be read, or is no longer what it was when it was planned.
  [[nodiscard]] virtual core::Result<std::string_view> next() = 0;
};

[[nodiscard]] std::unique_ptr<ByteSource> file_source(std::filesystem::path path, FileStamp stamp);
// The tree as a tar archive; the tree outlives the source.
[[nodiscard]] std::unique_ptr<ByteSource> tar_source(const FileTree& tree);

// SHA-256 of all of it. Errors: those of next(); cancelled.
[[nodiscard]] core::Result<std::string> hash_of(ByteSource& source, const std::stop_token& stop = {});

}  // namespace ydl::backend

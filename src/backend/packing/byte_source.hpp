#pragma once

#include "backend/packing/file_tree.hpp"
#include "core/result.hpp"

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace ydl::backend {

// Bytes in pieces; a piece is valid until the next call. Content is read twice, for its hash and for its upload,
// because it may not fit into memory.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  // The next piece; empty at the end. Errors: the content cannot be read, or has changed since it was planned.
  [[nodiscard]] virtual core::Result<std::string_view> next() = 0;
};

[[nodiscard]] std::unique_ptr<ByteSource> file_source(std::filesystem::path path, FileStamp stamp);
// The tree as a tar archive. The tree must outlive the source.
[[nodiscard]] std::unique_ptr<ByteSource> tar_source(const FileTree& tree);

// SHA-256 of all of it. Errors: those of next(); cancelled.
[[nodiscard]] core::Result<std::string> hash_of(ByteSource& source, const std::stop_token& stop = {});

}  // namespace ydl::backend

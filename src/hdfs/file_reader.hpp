#pragma once

#include "hdfs/file_blocks.hpp"
#include "hdfs/range_reader.hpp"

#include <cstdint>
#include <memory>
#include <span>

namespace ydl::hdfs {

// A file being read. next() and read() go through it from front to back; read_at() does not move them. One user at a
// time.
class FileReader {
 public:
  explicit FileReader(FileBlocks blocks);
  FileReader(FileReader&&) noexcept = default;

  // As it was when the file was opened, with what its writer had flushed.
  [[nodiscard]] std::uint64_t length() const { return blocks_->length(); }
  [[nodiscard]] std::uint64_t position() const { return position_; }
  // Where the next read begins; at most length().
  void seek(std::uint64_t position);

  // The next bytes, checked, without a copy: valid until the next call. None at the end of the file.
  // Errors: those of RangeReader.
  [[nodiscard]] net::Async<std::span<const char>> next();
  // Fills `into` unless the file ends; the count of bytes.
  [[nodiscard]] net::Async<std::size_t> read(std::span<char> into);
  [[nodiscard]] net::Async<std::size_t> read_at(std::uint64_t offset, std::span<char> into);

 private:
  std::unique_ptr<FileBlocks> blocks_;
  RangeReader range_;
  std::span<const char> left_;  // given by range_ and not used yet
  std::uint64_t position_ = 0;
};

}  // namespace ydl::hdfs

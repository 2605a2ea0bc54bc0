#pragma once

#include "hdfs/file_blocks.hpp"
#include "hdfs/range_reader.hpp"

#include <cstdint>
#include <memory>
#include <span>

namespace ydl::hdfs {

// Reads a file. next() and read() read sequentially; read_at() does not change their position. One user at a time.
class FileReader {
 public:
  explicit FileReader(FileBlocks blocks);
  FileReader(FileReader&&) noexcept = default;

  // The length when the file was opened, including bytes that a writer had flushed.
  [[nodiscard]] std::uint64_t length() const { return blocks_->length(); }
  [[nodiscard]] std::uint64_t position() const { return position_; }
  // Sets the position of the next read; at most length().
  void seek(std::uint64_t position);

  // The next bytes, checked and without a copy; valid until the next call. Empty at the end of the file. Errors: those
  // of RangeReader.
  [[nodiscard]] net::Async<std::span<const char>> next();
  // Fills `into` unless the file ends earlier. Returns the number of bytes.
  [[nodiscard]] net::Async<std::size_t> read(std::span<char> into);
  [[nodiscard]] net::Async<std::size_t> read_at(std::uint64_t offset, std::span<char> into);

 private:
  std::unique_ptr<FileBlocks> blocks_;
  RangeReader range_;
  std::span<const char> left_;  // bytes from range_ that were not used yet
  std::uint64_t position_ = 0;
};

}  // namespace ydl::hdfs

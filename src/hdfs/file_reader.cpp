#include "hdfs/file_reader.hpp"

#include <algorithm>
#include <cstring>

namespace ydl::hdfs {

FileReader::FileReader(FileBlocks blocks)
    : blocks_(std::make_unique<FileBlocks>(std::move(blocks))), range_(*blocks_, 0, blocks_->length()) {}

void FileReader::seek(std::uint64_t position) {
  position_ = std::min(position, length());
  left_ = {};
  range_ = RangeReader(*blocks_, position_, length());
}

net::Async<std::span<const char>> FileReader::next() {
  std::span<const char> data = std::exchange(left_, {});
  if (data.empty()) {
    auto more = co_await range_.next();
    if (!more) co_return core::fail(more.error());
    data = *more;
  }
  position_ += data.size();
  co_return data;
}

net::Async<std::size_t> FileReader::read(std::span<char> into) {
  std::size_t count = 0;
  while (count < into.size()) {
    const auto data = co_await next();
    if (!data) co_return core::fail(data.error());
    if (data->empty()) break;
    const std::size_t used = std::min(data->size(), into.size() - count);
    std::memcpy(into.data() + count, data->data(), used);
    count += used;
    left_ = data->subspan(used);
    position_ -= left_.size();
  }
  co_return count;
}

net::Async<std::size_t> FileReader::read_at(std::uint64_t offset, std::span<char> into) {
  const std::uint64_t begin = std::min(offset, length());
  RangeReader range(*blocks_, begin, std::min<std::uint64_t>(length(), begin + into.size()));
  std::size_t count = 0;
  for (;;) {
    const auto data = co_await range.next();
    if (!data) co_return core::fail(data.error());
    if (data->empty()) co_return count;
    std::memcpy(into.data() + count, data->data(), data->size());
    count += data->size();
  }
}

}  // namespace ydl::hdfs

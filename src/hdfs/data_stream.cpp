#include "hdfs/data_stream.hpp"

#include "core/assert.hpp"
#include "hdfs/errors.hpp"

#include <algorithm>
#include <cstring>

namespace ydl::hdfs {

net::Async<> DataStream::write(std::span<const std::string_view> pieces, core::Millis at_most) {
  if (layer_ == nullptr) co_return co_await socket_.write(pieces, at_most);
  const auto sealed = layer_->seal(pieces);
  if (!sealed) co_return core::fail(sealed.error());
  const std::string_view whole = *sealed;
  co_return co_await socket_.write({&whole, 1}, at_most);
}

net::Async<> DataStream::write(std::string_view bytes, core::Millis at_most) {
  co_return co_await write({&bytes, 1}, at_most);
}

void DataStream::consume(std::size_t bytes) {
  YDL_ASSERT(bytes <= end_ - begin_);
  begin_ += bytes;
  if (begin_ == end_) begin_ = end_ = 0;
}

// Makes free space after the input, by moving the input to the front or by allocating a larger buffer.
void DataStream::make_room(std::size_t bytes) {
  if (capacity_ - end_ >= bytes) return;
  const std::size_t used = end_ - begin_;
  if (capacity_ - used >= bytes) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, used);
  } else {
    const std::size_t larger = std::max(used + bytes, read_size_);
    auto fresh = std::make_unique_for_overwrite<char[]>(larger);
    if (used > 0) std::memcpy(fresh.get(), buffer_.get() + begin_, used);
    buffer_ = std::move(fresh);
    capacity_ = larger;
  }
  begin_ = 0;
  end_ = used;
}

net::Async<> DataStream::fill(std::size_t need, core::Millis at_most) {
  while (end_ - begin_ < need) {
    if (layer_ == nullptr) {
      make_room(need - (end_ - begin_));
      const auto size = co_await socket_.read_some({buffer_.get() + end_, capacity_ - end_}, at_most);
      if (!size) co_return core::fail(size.error());
      end_ += *size;
      continue;
    }
    sealed_.resize(std::max(read_size_, sealed_.size()));
    const auto size = co_await socket_.read_some(sealed_, at_most);
    if (!size) co_return core::fail(size.error());
    const auto plain = layer_->open(std::span(sealed_).first(*size));
    if (!plain) co_return core::fail(core::Error(plain.error()).within("DataNode " + peer()));
    if (plain->empty()) continue;
    make_room(plain->size());
    std::memcpy(buffer_.get() + end_, plain->data(), plain->size());
    end_ += plain->size();
  }
  co_return core::Result<>{};
}

core::Result<> DataStream::set_layer(std::unique_ptr<ByteLayer> layer) {
  if (begin_ != end_) {
    return core::fail(error(Errc::protocol, "DataNode " + peer() + " sent data before the handshake was complete"));
  }
  layer_ = std::move(layer);
  return {};
}

}  // namespace ydl::hdfs

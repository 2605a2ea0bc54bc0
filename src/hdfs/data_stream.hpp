#pragma once

#include "hdfs/byte_layer.hpp"
#include "hdfs/data_socket.hpp"
#include "hdfs/transfer_codec.hpp"
#include "net/asio.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace ydl::hdfs {

// A data connection with buffering and protection: all bytes pass through the layer that the handshake negotiated, and
// received bytes stay in a buffer until they are consumed.
class DataStream {
 public:
  explicit DataStream(DataSocket socket) : socket_(std::move(socket)) {}

  [[nodiscard]] net::Async<> write(std::span<const std::string_view> pieces, core::Millis at_most);
  [[nodiscard]] net::Async<> write(std::string_view bytes, core::Millis at_most);

  // The bytes that were received and not consumed. Valid until the next fill().
  [[nodiscard]] std::span<const char> input() const { return {buffer_.get() + begin_, end_ - begin_}; }
  void consume(std::size_t bytes);
  // Reads until the input has at least `need` bytes. `at_most` limits each wait for more bytes.
  [[nodiscard]] net::Async<> fill(std::size_t need, core::Millis at_most);
  // The size of each read from the socket.
  void set_read_size(std::size_t bytes) { read_size_ = bytes; }

  // Reads the next message, which has its length in front.
  template <class Message>
  [[nodiscard]] net::Async<Message> read_message(core::Millis at_most) {
    for (;;) {
      auto decoded = decode_delimited<Message>(input());
      if (!decoded) co_return core::fail(std::move(decoded).error().within("DataNode " + peer()));
      if (*decoded) {
        consume((*decoded)->size);
        co_return std::move((*decoded)->message);
      }
      if (auto filled = co_await fill(input().size() + 1, at_most); !filled) co_return core::fail(filled.error());
    }
  }

  // Sets the layer for all following bytes. Fails if bytes were received after the handshake.
  [[nodiscard]] core::Result<> set_layer(std::unique_ptr<ByteLayer> layer);

  void close() { socket_.close(); }
  [[nodiscard]] const std::string& peer() const { return socket_.peer(); }
  // Whether the connection can be used for another request: it is open, and nothing was received since the last one.
  [[nodiscard]] bool reusable() { return begin_ == end_ && socket_.still_quiet(); }

 private:
  void make_room(std::size_t bytes);

  DataSocket socket_;
  std::unique_ptr<ByteLayer> layer_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t read_size_ = std::size_t{4} << 10U;
  std::vector<char> sealed_;  // bytes from the socket before they pass the layer
};

}  // namespace ydl::hdfs

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

// A data connection as its users see it: what is sent and received goes through the layer the handshake agreed upon,
// and what has been received waits in a buffer until it is used.
class DataStream {
 public:
  explicit DataStream(DataSocket socket) : socket_(std::move(socket)) {}

  [[nodiscard]] net::Async<> write(std::span<const std::string_view> pieces, core::Millis at_most);
  [[nodiscard]] net::Async<> write(std::string_view bytes, core::Millis at_most);

  // Received and not consumed. Valid until the next fill().
  [[nodiscard]] std::span<const char> input() const { return {buffer_.get() + begin_, end_ - begin_}; }
  void consume(std::size_t bytes);
  // Reads until at least `need` bytes are there; `at_most` bounds each silence of the peer.
  [[nodiscard]] net::Async<> fill(std::size_t need, core::Millis at_most);
  // How much is asked of the socket at a time.
  void set_read_size(std::size_t bytes) { read_size_ = bytes; }

  // The next message with its length before it.
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

  // From here on every byte goes through it. Nothing may have been received beyond the handshake.
  [[nodiscard]] core::Result<> set_layer(std::unique_ptr<ByteLayer> layer);

  void close() { socket_.close(); }
  [[nodiscard]] const std::string& peer() const { return socket_.peer(); }
  // Nothing has come since the last exchange: the connection can carry another.
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
  std::vector<char> sealed_;  // bytes as received, while a layer is set
};

}  // namespace ydl::hdfs

#pragma once

#include "hrpc/frame_codec.hpp"
#include "hrpc/proto/protobuf_rpc_engine.pb.h"
#include "hrpc/proto/rpc_header.pb.h"
#include "support/imposter.hpp"
#include "support/rpc_replies.hpp"

#include <array>
#include <optional>
#include <stdexcept>
#include <string>

namespace ydl::test {

// A frame that a client sent.
struct ClientFrame {
  hrpc::CallId id{};
  int retry = 0;
  std::string client_id;
  std::string method;   // only for calls
  std::string request;  // only for calls
  [[nodiscard]] bool is_call() const { return std::to_underlying(id) >= 0; }
};

// Reads everything and never answers.
inline net::awaitable<void> listen_until_closed(Socket& socket) {
  std::array<char, 4096> buffer{};
  for (;;) {
    const auto [error, count] = co_await socket.async_read_some(net::asio::buffer(buffer), net::tuple);
    if (error) co_return;
  }
}

// The server's side of a connection of the RPC protocol without SASL: decodes what the client sends.
class RpcPeer {
 public:
  explicit RpcPeer(Socket& socket) : socket_(&socket) {}

  // The next frame of any kind; nothing after the client has closed the connection.
  net::awaitable<std::optional<ClientFrame>> next() {
    for (;;) {
      auto frame = reader_.next();
      if (!frame) throw std::runtime_error(frame.error().message);
      if (*frame) co_return parse(**frame);
      std::array<char, 4096> buffer{};
      const auto [error, count] = co_await socket_->async_read_some(net::asio::buffer(buffer), net::tuple);
      if (error) co_return std::nullopt;
      feed({buffer.data(), count});
    }
  }

  // The next call. Other frames before it are skipped.
  net::awaitable<std::optional<ClientFrame>> next_call() {
    for (;;) {
      auto frame = co_await next();
      if (!frame || frame->is_call()) co_return frame;
    }
  }

 private:
  static constexpr std::size_t kPreamble = 7;

  void feed(std::string_view bytes) {
    if (preamble_.size() < kPreamble) {
      const auto taken = bytes.substr(0, kPreamble - preamble_.size());
      preamble_ += taken;
      bytes.remove_prefix(taken.size());
    }
    reader_.feed(bytes);
  }

  static ClientFrame parse(std::string_view frame) {
    hadoop::common::RpcRequestHeaderProto header;
    if (!header.ParseFromString(std::string(hrpc::take_delimited(frame).value())))
      throw std::runtime_error("no header");
    ClientFrame parsed{hrpc::CallId{header.callid()}, header.retrycount(), header.clientid(), {}, {}};
    if (!parsed.is_call()) return parsed;
    hadoop::common::RequestHeaderProto request;
    if (!request.ParseFromString(std::string(hrpc::take_delimited(frame).value())))
      throw std::runtime_error("no method");
    parsed.method = request.methodname();
    parsed.request = hrpc::take_delimited(frame).value();
    return parsed;
  }

  Socket* socket_;
  std::string preamble_;
  hrpc::FrameReader reader_{1U << 20U};
};

}  // namespace ydl::test

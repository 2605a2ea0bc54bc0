#pragma once

#include "http/router.hpp"
#include "net/asio.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace ydl::http {

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;       // 0: any free one
  std::uint16_t last_port = 0;  // above `port`: any of the two and what lies between will do
  std::string secret = {};      // every call must carry it
  std::string greeting = {};    // plain text for a browser that asks for "/" without it; empty: it is refused too
  // Connections that have not shown the secret yet. Above this number one that has not shown it for `stranger_patience`
  // is closed: connections that only wait keep out nobody who has the secret. Where all of them are new, as when many
  // agents start at once, further ones wait to be accepted. Those with the secret are not limited.
  std::size_t max_strangers = 256;
  core::Millis stranger_patience = core::Seconds(5);
  std::size_t max_body = std::size_t{16} << 20U;
  core::Millis idle_timeout = core::Seconds(120);
};

// The master's one server. Single-threaded: handlers run on the executor's thread, one coroutine per connection.
// Life cycle: listen(), route() before the executor runs again, then close(), after which no handler runs any more.
class Server {
 public:
  Server(net::asio::any_io_executor executor, ServerOptions options, Router router = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Errors: io, with address and port, when the port cannot be had.
  [[nodiscard]] core::Result<void> listen();
  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::size_t connections() const;
  // What it serves, where that needs to know the port first.
  void route(Router router);
  // Takes no more connections and waits, for a bounded time, until the calls in hand are answered.
  [[nodiscard]] net::awaitable<void> drain(core::Millis at_most);
  void close();

  struct State;  // shared with the coroutines of its connections

 private:
  std::shared_ptr<State> state_;
};

}  // namespace ydl::http

#pragma once

#include "net/asio.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

namespace ydl::test {

using Socket = net::asio::ip::tcp::socket;

// A server on loopback that handles each connection with a given function, and counts them.
class Imposter {
 public:
  using Treatment = std::function<net::awaitable<void>(Socket&, int connection)>;

  Imposter(const net::asio::any_io_executor& executor, Treatment treatment)
      : state_(std::make_shared<State>(executor, std::move(treatment))) {
    net::asio::co_spawn(executor, accept(state_), net::asio::detached);
  }
  ~Imposter() { state_->acceptor.close(); }
  Imposter(const Imposter&) = delete;
  Imposter& operator=(const Imposter&) = delete;

  [[nodiscard]] std::uint16_t port() const { return state_->acceptor.local_endpoint().port(); }
  [[nodiscard]] int connections() const { return state_->connections; }

 private:
  struct State {
    State(const net::asio::any_io_executor& executor, Treatment treatment_)
        : acceptor(executor, {net::asio::ip::address_v4::loopback(), 0}), treatment(std::move(treatment_)) {}
    net::asio::ip::tcp::acceptor acceptor;
    Treatment treatment;
    int connections = 0;
  };

  static net::awaitable<void> accept(std::shared_ptr<State> state) {
    for (;;) {
      auto [error, socket] = co_await state->acceptor.async_accept(net::tuple);
      if (error) co_return;
      net::asio::co_spawn(state->acceptor.get_executor(), serve(state, std::move(socket), ++state->connections),
                          net::asio::detached);
    }
  }
  static net::awaitable<void> serve(std::shared_ptr<State> state, Socket socket, int connection) {
    co_await state->treatment(socket, connection);
  }

  std::shared_ptr<State> state_;
};

// Reads the head of a request. Returns false if the peer has closed the connection.
inline net::awaitable<bool> read_request(Socket& socket) {
  std::string buffer;
  const auto [error, n] =
      co_await net::asio::async_read_until(socket, net::asio::dynamic_buffer(buffer), "\r\n\r\n", net::tuple);
  co_return !error;
}

inline net::awaitable<void> write(Socket& socket, std::string bytes) {
  (void)co_await net::asio::async_write(socket, net::asio::buffer(bytes), net::tuple);
}

inline net::awaitable<void> wait_until_closed(Socket& socket) {
  std::string buffer;
  (void)co_await net::asio::async_read_until(socket, net::asio::dynamic_buffer(buffer), std::string(1, '\0'),
                                             net::tuple);
}

// Sends bytes to a port of this machine and returns everything that it answers until it closes the connection.
inline net::awaitable<std::string> exchange(std::uint16_t port, std::string bytes) {
  Socket socket(co_await net::asio::this_coro::executor);
  std::string answer;
  const auto [failed] = co_await socket.async_connect({net::asio::ip::address_v4::loopback(), port}, net::tuple);
  if (failed) co_return "not connected: " + failed.message();
  co_await write(socket, std::move(bytes));
  for (;;) {
    std::string piece(4096, '\0');
    const auto [error, n] = co_await socket.async_read_some(net::asio::buffer(piece), net::tuple);
    answer.append(piece, 0, n);
    if (error) co_return answer;
  }
}

}  // namespace ydl::test

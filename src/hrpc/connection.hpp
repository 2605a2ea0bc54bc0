#pragma once

#include "hrpc/call_table.hpp"
#include "hrpc/method.hpp"
#include "hrpc/options.hpp"
#include "hrpc/session_fsm.hpp"
#include "net/asio.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/ip/tcp.hpp>

namespace ydl::hrpc {

struct ConnectionOptions {
  hconf::HostPort server;
  SessionOptions session;
  core::Millis connect_timeout;
  core::Millis ping_interval;
  core::Millis idle_close;
};  // Drives one session on one socket: any number of calls in flight, pings while the server is silent, closed when
// nobody has called for a while. One thread. Made by make_shared, opened once, then called; it lives as long as its
// coroutines or its owner hold it, and close() ends them at any time.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(const net::asio::any_io_executor& executor, ConnectionOptions options);

  // Name, TCP and handshake, all within the connect timeout. Errors: those of the handshake; unreachable, timed_out.
  [[nodiscard]] net::Async<> open();

  // The answer to one call. Errors: what the server said; connection_lost and whatever ended the connection; timed_out.
  [[nodiscard]] net::Async<std::string> call(CallKey key, Method method, std::string request, core::Millis at_most);

  [[nodiscard]] bool alive() const { return !failure_; }
  [[nodiscard]] const std::optional<core::Error>& failure() const { return failure_; }
  // Everybody who waits is told why.
  void close(core::Error why);
  // No further calls will come: it closes as soon as the last one that waits has its answer.
  void retire();

 private:
  struct Waiter;

  net::Async<> connect();
  net::awaitable<void> find_server_name();
  net::Async<> shake_hands();
  net::awaitable<SessionFsm::Step> handshake_step(std::string bytes);
  net::Async<std::string> receive();
  net::Async<> write(std::string bytes);
  void start();
  void close_if_retired();
  void enqueue(std::string_view bytes);
  void arm_deadline();
  [[nodiscard]] core::Error explain(const boost::system::error_code& error) const;

  static net::awaitable<void> read_loop(std::shared_ptr<Connection> self);
  static net::awaitable<void> write_loop(std::shared_ptr<Connection> self);
  static net::awaitable<void> watch_loop(std::shared_ptr<Connection> self);

  ConnectionOptions options_;
  std::string place_;  // "host:port", for errors
  net::asio::ip::tcp::socket socket_;
  net::asio::steady_timer timer_;        // the deadline while opening, then the watch's
  std::shared_ptr<SessionFsm> session_;  // shared with the thread of a handshake step
  CallTable calls_;
  std::string unsent_;
  bool writing_ = false;
  bool retired_ = false;
  bool expired_ = false;  // the connect timeout is over
  core::Instant received_{};
  std::uint64_t reads_ = 0;
  core::Instant used_{};
  std::optional<core::Error> failure_;
  std::array<char, std::size_t{64} << 10U> buffer_;
};

}  // namespace ydl::hrpc

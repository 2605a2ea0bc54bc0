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
  // Drives one session on one socket: any number of calls in flight, pings while the server is silent, and a close
  // after some idle time. Single-threaded. Create it with make_shared and open it once before calls. Its owner and its
  // coroutines keep it alive; close() ends the coroutines at any time.
};
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(const net::asio::any_io_executor& executor, ConnectionOptions options);

  // Resolves the name, connects and does the handshake, all within the connect timeout. Errors: unreachable, timed_out,
  // and those of the handshake.
  [[nodiscard]] net::Async<> open();

  // Makes one call and returns the answer. Errors: the server's exception, timed_out, connection_lost or another error
  // that ended the connection.
  [[nodiscard]] net::Async<std::string> call(CallKey key, Method method, std::string request, core::Millis at_most);

  [[nodiscard]] bool alive() const { return !failure_; }
  [[nodiscard]] const std::optional<core::Error>& failure() const { return failure_; }
  // All waiting calls fail with `why`.
  void close(core::Error why);
  // Closes the connection as soon as the last waiting call has its answer. No new calls may be made.
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
  net::asio::steady_timer timer_;        // the deadline of open(), afterwards used by watch_loop()
  std::shared_ptr<SessionFsm> session_;  // shared with the thread of a handshake step
  CallTable calls_;
  std::string unsent_;
  bool writing_ = false;
  bool retired_ = false;
  bool expired_ = false;  // the connect timeout has passed
  core::Instant received_{};
  std::uint64_t reads_ = 0;
  core::Instant used_{};
  std::optional<core::Error> failure_;
  std::array<char, std::size_t{64} << 10U> buffer_;
};

}  // namespace ydl::hrpc

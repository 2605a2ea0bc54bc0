#pragma once

#include "http/gate.hpp"
#include "http/router.hpp"
#include "net/asio.hpp"
#include "net/tls.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ydl::http {

// docs/http-api.md lists them.
struct Limits {
  std::size_t strangers = 256;                   // connections that have not shown a right key yet (admission.hpp)
  std::size_t header = std::size_t{16} << 10U;   // bytes
  std::size_t bodies = std::size_t{32} << 20U;   // bytes of all bodies together
  core::Millis header_time = core::Seconds(10);  // for a stranger since it connected, later since the first byte
  core::Millis body_time = core::Seconds(30);
  core::Millis idle_time = core::Seconds(120);  // between the calls of a connection that has shown a key
  core::Millis accept_pause{0};                 // after each connection: bounds the time that handshakes take
};

// A call on which no key counts: without TLS to a server that has a certificate, or of a caller that has shown one.
struct KeylessCall {
  std::string_view method;
  std::string_view target;
  std::string_view cookie;
  std::string_view address;  // of the caller
};

// Set instead of an identity: callers must show a certificate in the handshake, and what they are answered.
struct CertifiedCallers {
  net::MutualIdentity identity;
  std::function<Response(const KeylessCall&)> answer;  // of refused calls 403 counts as one that the ACL does not allow
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;                                // 0: any free one
  std::uint16_t last_port = 0;                           // above `port`: any of the two and what lies between will do
  std::filesystem::path file = {};                       // set: a Unix socket there, and no port
  std::optional<net::Identity> identity = std::nullopt;  // set: TLS, with this certificate
  std::string secret = {};                               // the owner's key: it opens every call
  // The key of the one that a route names (RouteOptions::key_of); empty: the owner's key opens those calls alone.
  std::function<std::string(std::string_view)> key_of = {};
  // Whose key it is, where the owner lets others see the job (gate.hpp); empty: there are no guests.
  std::function<std::optional<Guest>(std::string_view)> guest_of = {};
  std::string greeting = {};  // plain text for a browser that asks for "/" without it; empty: it is refused too
  // What calls without TLS are answered where there is a certificate; empty: their connections are closed. Of refused
  // calls 403 counts as one that the ACL does not allow, 405 as one that needs TLS.
  std::function<Response(const KeylessCall&)> in_clear = {};
  std::optional<CertifiedCallers> certified = std::nullopt;  // set: no key opens anything, and there are no routes
  Limits limits = {};
};

// The master's one server. Single-threaded: handlers run on the executor's thread, one coroutine per connection.
// Life cycle: listen(), route() before the executor runs again, then close(), after which no handler runs any more.
class Server {
 public:
  Server(net::asio::any_io_executor executor, ServerOptions options, Router router = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Errors: io, with address and port or the file, when that cannot be had; corrupt (the identity).
  [[nodiscard]] core::Result<void> listen();
  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::size_t connections() const;
  // What it serves, where that needs to know the port first.
  void route(Router router);
  // Is given a line about refused calls, at most one a minute.
  void on_refusals(std::function<void(std::string)> tell);
  // Takes no more connections and waits, for a bounded time, until the calls in hand are answered.
  [[nodiscard]] net::awaitable<void> drain(core::Millis at_most);
  void close();

  struct State;  // shared with the coroutines of its connections

 private:
  std::shared_ptr<State> state_;
};

}  // namespace ydl::http

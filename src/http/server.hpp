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

// Documented in docs/http-api.md.
struct Limits {
  std::size_t unauthenticated = 256;            // connections without a valid key so far (admission.hpp)
  std::size_t header = std::size_t{16} << 10U;  // bytes
  std::size_t bodies = std::size_t{32} << 20U;  // total bytes of all bodies
  int guest_calls = 32;                         // simultaneous calls of guests
  // for the first header since the connection was made, for later ones since their first byte
  core::Millis header_time = core::Seconds(10);
  core::Millis body_time = core::Seconds(30);
  core::Millis idle_time = core::Seconds(120);  // between the calls of an authenticated connection
  // pause after each accepted connection, which limits the CPU time for handshakes
  core::Millis accept_pause{0};
};

// A call for which keys are not checked: without TLS to a server with a certificate, or from a caller with a
// certificate.
struct KeylessCall {
  std::string_view method;
  std::string_view target;
  std::string_view cookie;
  std::string_view address;  // address of the caller
};

// Used instead of an identity: callers must have a certificate in the handshake; `answer` handles their calls.
struct CertifiedCallers {
  net::MutualIdentity identity;
  std::function<Response(const KeylessCall&)> answer;  // a 403 is counted as refused by the ACL
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free one
  // if higher than `port`: the first free port of this range is used
  std::uint16_t last_port = 0;
  std::filesystem::path file = {};                       // not empty: a Unix socket instead of a port
  std::optional<net::Identity> identity = std::nullopt;  // set: TLS with this certificate
  std::string secret = {};                               // the owner's key, valid for every call
  // The key of the agent in a route (RouteOptions::key_of); empty: only the owner's key is valid for those calls.
  std::function<std::string(std::string_view)> key_of = {};
  // The guest to whom a key belongs (gate.hpp); empty: there are no guests.
  std::function<std::optional<Guest>(std::string_view)> guest_of = {};
  std::string greeting = {};  // plain text for a browser that requests "/" without a key; empty: this is refused too
  // Answers calls without TLS to a server with a certificate; empty: their connections are closed. A 403 is counted as
  // refused by the ACL, a 405 as a call that needs TLS.
  std::function<Response(const KeylessCall&)> in_clear = {};
  std::optional<CertifiedCallers> certified = std::nullopt;  // set: keys and routes are not used
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

  // Errors: io, with address and port or the file; corrupt (the identity).
  [[nodiscard]] core::Result<void> listen();
  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::size_t connections() const;
  // Sets the routes, after listen(), because some of them need the port.
  void route(Router router);
  // `tell` gets a line about refused calls, at most once a minute.
  void on_refusals(std::function<void(std::string)> tell);
  // Accepts no more connections and waits at most this time until the active calls are answered.
  [[nodiscard]] net::awaitable<void> drain(core::Millis at_most);
  void close();

  struct State;  // shared with the coroutines of its connections

 private:
  std::shared_ptr<State> state_;
};

}  // namespace ydl::http

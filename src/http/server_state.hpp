#pragma once

#include "http/admission.hpp"
#include "http/gate.hpp"
#include "http/refusals.hpp"
#include "http/server.hpp"
#include "net/listener.hpp"
#include "net/stream.hpp"

#include <unordered_map>

namespace ydl::http {

using Stream = net::Stream;

struct Server::State {
  State(net::asio::any_io_executor executor_, ServerOptions options_, Router router_)
      : executor(std::move(executor_)),
        options(std::move(options_)),
        gate{options.secret, options.key_of, !options.greeting.empty(), options.guest_of},
        router(std::move(router_)),
        admissions(options.limits.unauthenticated),
        room_for_unauthenticated(executor),
        bodies(options.limits.bodies),
        body_left(executor),
        tell_timer(executor),
        idle(executor) {}

  net::asio::any_io_executor executor;
  ServerOptions options;
  Gate gate;
  Router router;
  std::optional<net::Listener> listener;  // set in listen()
  std::optional<net::TlsContext> tls;
  ConnectionTable admissions;
  struct Open {
    Stream* stream = nullptr;
    std::string address;
  };
  std::unordered_map<ConnectionId, Open> connections;
  net::Signal room_for_unauthenticated;
  BodyBudget bodies;
  net::Signal body_left;
  RefusalLog refusals;
  std::function<void(std::string)> tell_refusals;
  net::asio::steady_timer tell_timer;
  bool telling = false;  // a coroutine is waiting until the next line is due
  int active_calls = 0;
  int guest_calls = 0;  // the calls of guests among them
  net::Signal idle;
  bool closed = false;
};

using StatePtr = std::shared_ptr<Server::State>;

// Counts a refused call and schedules its report.
void refuse(const StatePtr& state, const std::string& address, Refusal what);

// Serves the calls of one connection until it is closed.
[[nodiscard]] net::awaitable<void> serve(StatePtr state, net::Socket socket);

}  // namespace ydl::http

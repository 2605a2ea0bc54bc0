#include "http/server.hpp"

#include "core/log.hpp"
#include "http/server_state.hpp"
#include "net/spawn.hpp"

namespace ydl::http {

namespace asio = boost::asio;

namespace {

net::awaitable<void> accept_loop(StatePtr state) {
  bool complained = false;
  while (!state->closed) {
    for (auto now = core::steady_now(); const auto until = state->admissions.hold_until(now);
         now = core::steady_now()) {
      co_await state->room_for_unauthenticated.wait(*until - now);
      if (state->closed) co_return;
    }
    auto [error, socket] = co_await state->listener->accept();
    if (!state->listener->is_open()) break;
    // for example out of file descriptors: wait before the next attempt, instead of retrying in a busy loop
    if (error) {
      if (!std::exchange(complained, true)) core::log("accepting a connection: {}", error.message());
      co_await net::pause(core::Millis(100));
      continue;
    }
    complained = false;
    net::spawn(state->executor, "serving a connection", serve(state, std::move(socket)));
    if (const auto pause = state->options.limits.accept_pause; pause.count() > 0) co_await net::pause(pause);
  }
}

void tell(Server::State& state) {
  auto line = state.refusals.take(core::steady_now());
  if (!line) return;
  core::log("{}", *line);
  if (state.tell_refusals) state.tell_refusals(*std::move(line));
}

net::awaitable<void> tell_when_due(StatePtr state) {
  while (!state->closed) {
    const auto due = state->refusals.due();
    if (!due) break;
    state->tell_timer.expires_at(*due);
    (void)co_await state->tell_timer.async_wait(net::tuple);
    tell(*state);
  }
  state->telling = false;
}

}  // namespace

void refuse(const StatePtr& state, const std::string& address, Refusal what) {
  if (state->closed) return;
  state->refusals.add(address, what);
  if (std::exchange(state->telling, true)) return;
  net::spawn(state->executor, "reporting refused calls", tell_when_due(state));
}

Server::Server(asio::any_io_executor executor, ServerOptions options, Router router)
    : state_(std::make_shared<State>(std::move(executor), std::move(options), std::move(router))) {}

Server::~Server() {
  close();
}

core::Result<void> Server::listen() {
  const auto& options = state_->options;
  if (options.identity || options.certified) {
    auto tls = options.certified ? net::TlsContext::mutual_server(options.certified->identity)
                                 : net::TlsContext::server(*options.identity);
    if (!tls) return core::fail(tls.error());
    state_->tls = *std::move(tls);
  }
  auto listener = options.file.empty()
                      ? net::Listener::on_port(state_->executor, {options.address, options.port, options.last_port})
                      : net::Listener::on_file(state_->executor, options.file);
  if (!listener) return core::fail(listener.error());
  state_->listener.emplace(*std::move(listener));
  net::spawn(state_->executor, "accepting connections", accept_loop(state_));
  return {};
}

void Server::route(Router router) {
  state_->router = std::move(router);
}

void Server::on_refusals(std::function<void(std::string)> tell) {
  state_->tell_refusals = std::move(tell);
}

std::uint16_t Server::port() const {
  return state_->listener ? state_->listener->port() : 0;
}

std::size_t Server::connections() const {
  return state_->connections.size();
}

net::awaitable<void> Server::drain(core::Millis at_most) {
  if (state_->listener) state_->listener->close();
  const auto deadline = core::steady_now() + at_most;
  while (state_->active_calls > 0 && core::steady_now() < deadline)
    co_await state_->idle.wait(deadline - core::steady_now());
}

void Server::close() {
  if (std::exchange(state_->closed, true)) return;
  if (state_->listener) state_->listener->close();
  state_->tell_timer.cancel();
  state_->body_left.notify();
  state_->room_for_unauthenticated.notify();
  state_->tell_refusals = nullptr;
  for (const auto& [id, open] : state_->connections) open.stream->cancel();
}

}  // namespace ydl::http

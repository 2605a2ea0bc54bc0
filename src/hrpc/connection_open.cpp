// Opening a connection: name resolution, TCP, handshake.
#include "core/strings.hpp"
#include "hrpc/connection.hpp"
#include "hrpc/errors.hpp"
#include "net/in_thread.hpp"
#include "net/resolver.hpp"

#include <utility>

#include <fmt/format.h>

namespace ydl::hrpc {

namespace asio = net::asio;
using tcp = asio::ip::tcp;

namespace {

core::Error unknown_name(const core::Error& error, const std::string& place) {
  const auto code = error.code == core::Errc::timeout ? Errc::timed_out : Errc::unreachable;
  return core::Error{code, error.message}.within(place);
}

}  // namespace

net::Async<> Connection::open() {
  const auto self = shared_from_this();
  arm_deadline();
  auto done = co_await connect();
  if (done) co_await find_server_name();
  if (done) done = co_await shake_hands();
  if (failure_) co_return core::fail(*failure_);
  timer_.cancel();
  if (!done) {
    close(done.error());
    co_return done;
  }
  start();
  co_return core::Result<>{};
}

void Connection::arm_deadline() {
  timer_.expires_after(options_.connect_timeout);
  timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (error) return;
    self->expired_ = true;
    boost::system::error_code ignored;
    self->socket_.close(ignored);
  });
}

net::Async<> Connection::connect() {
  auto addresses = co_await net::resolve(options_.server.host, options_.connect_timeout);
  if (!addresses) co_return core::fail(unknown_name(addresses.error(), place_));
  boost::system::error_code failed = asio::error::host_not_found;
  for (const auto& address : *addresses) {
    if (expired_ || failure_) break;
    boost::system::error_code ignored;
    socket_.close(ignored);  // from the attempt with the previous address
    const auto [error] = co_await socket_.async_connect(tcp::endpoint(address, options_.server.port), net::tuple);
    failed = error;
    if (!error) break;
  }
  if (expired_) {
    co_return core::fail(Errc::timed_out, fmt::format("{}: no connection within {}", place_,
                                                      core::format_duration(options_.connect_timeout)));
  }
  if (failed) {
    co_return core::fail(Errc::unreachable,
                         fmt::format("{}: {}; is the service running there?", place_, failed.message()));
  }
  boost::system::error_code ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
  socket_.set_option(asio::socket_base::keep_alive(true), ignored);
  co_return core::Result<>{};
}

// If the server is configured by a numeric address, _HOST in its principal means the name of this address, as in Java.
// A missing name is not an error here: check_principal() reports it if the principal is really needed.
net::awaitable<void> Connection::find_server_name() {
  auto& handshake = options_.session.handshake;
  const auto& identity = handshake.identity;
  if (identity.security != Security::kerberos || identity.token) co_return;
  if (!needs_reverse_name(identity, handshake.server_host)) co_return;
  boost::system::error_code error;
  const auto server = socket_.remote_endpoint(error);
  if (error) co_return;
  auto name = co_await net::reverse_name(server.address(), options_.connect_timeout);
  if (!name || name->empty()) co_return;
  handshake.server_host = *std::move(name);
  session_ = std::make_shared<SessionFsm>(options_.session);
}

// Kerberos may have to wait for its KDC, so the step runs in a thread. The thread shares ownership of the session, but
// not of the connection, whose destructor uses the loop. After a timeout the thread keeps the old session, and the
// connection gets a new one.
net::awaitable<SessionFsm::Step> Connection::handshake_step(std::string bytes) {
  if (options_.session.handshake.identity.security == Security::simple) co_return session_->feed(bytes);
  const auto step = std::make_shared<SessionFsm::Step>();
  const bool done = co_await net::in_thread(
      [session = session_, step, bytes = std::move(bytes)] { *step = session->feed(bytes); }, options_.connect_timeout);
  if (done) co_return std::move(*step);
  session_ = std::make_shared<SessionFsm>(options_.session);
  co_return SessionFsm::Step{
      .failure =
          core::Error{Errc::timed_out,
                      "the Kerberos KDC did not answer in time; check [realms] in /etc/krb5.conf and the network"}};
}

// Without SASL the loop below ends at once, and preamble and context are sent together with the first call.
net::Async<> Connection::shake_hands() {
  unsent_ = session_->start();
  while (!session_->open()) {
    auto done = co_await write(std::exchange(unsent_, {}));
    core::Result<std::string> bytes;
    if (done) bytes = co_await receive();
    if (expired_) {
      co_return core::fail(
          Errc::timed_out,
          fmt::format("{}: the server accepted the connection but did not finish the handshake within {}", place_,
                      core::format_duration(options_.connect_timeout)));
    }
    if (!done) co_return core::fail(std::move(done).error());
    if (!bytes) co_return core::fail(std::move(bytes).error());
    auto step = co_await handshake_step(*std::move(bytes));
    if (step.failure) co_return core::fail(std::move(*step.failure).within(place_));
    unsent_ += step.output;
  }
  co_return core::Result<>{};
}

}  // namespace ydl::hrpc

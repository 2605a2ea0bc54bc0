#include "hrpc/connection.hpp"

#include "core/strings.hpp"
#include "hrpc/errors.hpp"
#include "net/spawn.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/write.hpp>
#include <fmt/format.h>

namespace ydl::hrpc {

namespace asio = net::asio;

// A caller waits for the timer, which expires at the deadline and is cancelled when the answer arrives.
struct Connection::Waiter {
  explicit Waiter(const asio::any_io_executor& executor) : timer(executor) {}
  asio::steady_timer timer;
  std::optional<core::Result<std::string>> result;
};

Connection::Connection(const asio::any_io_executor& executor, ConnectionOptions options)
    : options_(std::move(options)),
      place_(to_string(options_.server)),
      socket_(executor),
      timer_(executor),
      session_(std::make_shared<SessionFsm>(options_.session)),
      buffer_() {}

void Connection::start() {
  received_ = used_ = core::steady_now();
  net::spawn(socket_.get_executor(), "reading RPC answers", read_loop(shared_from_this()));
  net::spawn(socket_.get_executor(), "watching an RPC connection", watch_loop(shared_from_this()));
}

void Connection::close(core::Error why) {
  if (failure_) return;
  failure_ = std::move(why);
  timer_.cancel();
  boost::system::error_code ignored;
  socket_.close(ignored);
  calls_.fail_all(*failure_);
}

void Connection::retire() {
  retired_ = true;
  close_if_retired();
}

void Connection::close_if_retired() {
  if (retired_ && calls_.empty())
    close({Errc::connection_lost, place_ + ": the connection was closed because it was no longer needed"});
}

net::Async<std::string> Connection::call(CallKey key, Method method, std::string request, core::Millis at_most) {
  const auto self = shared_from_this();
  if (failure_) co_return core::fail(*failure_);
  auto bytes = session_->send(key, method, request);
  if (!bytes) co_return core::fail(std::move(bytes).error());
  const auto waiter = std::make_shared<Waiter>(socket_.get_executor());
  calls_.add(key.id, [waiter](core::Result<std::string> result) {
    waiter->result = std::move(result);
    waiter->timer.cancel();
  });
  used_ = core::steady_now();
  const auto reads_before = reads_;
  enqueue(*bytes);
  waiter->timer.expires_after(at_most);
  const auto [stopped] = co_await waiter->timer.async_wait(net::tuple);
  used_ = core::steady_now();
  if (waiter->result) co_return *std::move(waiter->result);
  calls_.forget(key.id);
  close_if_retired();
  if (stopped) co_return core::fail(core::Errc::cancelled, fmt::format("{} was cancelled", method.name));
  core::Error late{Errc::timed_out,
                   fmt::format("{}: no answer to {} within {}", place_, method.name, core::format_duration(at_most))};
  // The server sent nothing at all in this time, so the other calls would get no answer either.
  if (reads_ == reads_before) close({Errc::connection_lost, late.message});
  co_return core::fail(std::move(late));
}

void Connection::enqueue(std::string_view bytes) {
  unsent_ += bytes;
  if (std::exchange(writing_, true)) return;
  net::spawn(socket_.get_executor(), "writing RPC calls", write_loop(shared_from_this()));
}

// Bytes that are added during a write are sent together in the next write.
net::awaitable<void> Connection::write_loop(std::shared_ptr<Connection> self) {
  while (self->alive() && !self->unsent_.empty()) {
    auto done = co_await self->write(std::exchange(self->unsent_, {}));
    if (!done) self->close(std::move(done).error());
  }
  self->writing_ = false;
}

net::awaitable<void> Connection::read_loop(std::shared_ptr<Connection> self) {
  while (self->alive()) {
    auto bytes = co_await self->receive();
    if (!bytes) {
      self->close(std::move(bytes).error());
      co_return;
    }
    self->received_ = core::steady_now();
    ++self->reads_;
    auto step = self->session_->feed(*bytes);
    if (!step.output.empty()) self->enqueue(step.output);
    for (auto& [id, result] : step.answers) self->calls_.finish(id, std::move(result));
    self->close_if_retired();
    if (step.failure) self->close(std::move(*step.failure).within(self->place_));
  }
}

// Sends pings while calls wait and the server is silent, so that a dead server is noticed. Closes an idle connection.
net::awaitable<void> Connection::watch_loop(std::shared_ptr<Connection> self) {
  const auto& options = self->options_;
  const auto beat = std::min(options.ping_interval, options.idle_close);
  core::Instant pinged = core::steady_now();
  while (self->alive()) {
    self->timer_.expires_after(beat);
    (void)co_await self->timer_.async_wait(net::tuple);
    if (!self->alive()) co_return;
    const auto now = core::steady_now();
    if (self->calls_.empty()) {
      if (now - self->used_ >= options.idle_close)
        self->close({Errc::connection_lost, "the connection was closed because it was idle"});
    } else if (now - std::max(self->received_, pinged) >= options.ping_interval) {
      pinged = now;
      if (auto ping = self->session_->ping()) self->enqueue(*ping);
    }
  }
}

net::Async<std::string> Connection::receive() {
  const auto [error, count] = co_await socket_.async_read_some(asio::buffer(buffer_), net::tuple);
  if (failure_) co_return core::fail(*failure_);
  if (error) co_return core::fail(explain(error));
  co_return std::string(buffer_.data(), count);
}

net::Async<> Connection::write(std::string bytes) {
  const auto [error, count] = co_await asio::async_write(socket_, asio::buffer(bytes), net::tuple);
  if (failure_) co_return core::fail(*failure_);
  if (error) co_return core::fail(explain(error));
  co_return core::Result<>{};
}

core::Error Connection::explain(const boost::system::error_code& error) const {
  if (error == asio::error::eof || error == asio::error::connection_reset || error == asio::error::broken_pipe) {
    return {Errc::connection_lost, place_ + ": the server closed the connection"};
  }
  return {Errc::connection_lost, fmt::format("{}: {}", place_, error.message())};
}

}  // namespace ydl::hrpc

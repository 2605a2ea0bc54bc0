#include "pslite/node_dialer.hpp"

#include "core/strings.hpp"
#include "net/spawn.hpp"
#include "pslite/sockets.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

namespace ydl::pslite {
namespace {

namespace asio = boost::asio;
using core::Errc;
using core::fail;
using core::Millis;
using core::Result;
constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

constexpr Millis kFirstPause(50);
constexpr Millis kLongestPause(2'000);
constexpr std::size_t kBuffersPerWrite = 64;

}  // namespace

NodeDialer::NodeDialer(const asio::any_io_executor& executor, Target target, Options options, NodeDialerOwner& owner)
    : target_(std::move(target)),
      options_(std::move(options)),
      owner_(&owner),
      socket_(executor),
      deadline_(executor),
      wake_(executor) {}

void NodeDialer::start() {
  net::spawn(socket_.get_executor(), "writing to a ps-lite node", run(shared_from_this()));
}

void NodeDialer::send(std::string bytes) {
  if (owner_ == nullptr) return;
  if (queued_bytes_ + bytes.size() > options_.queue_bytes) {
    tell_unreachable(
        fmt::format("{} are waiting to be sent to it, which is above the limit", core::format_bytes(queued_bytes_)));
    return;
  }
  queued_bytes_ += bytes.size();
  queue_.push_back(std::move(bytes));
  wake_.cancel();
}

void NodeDialer::close() {
  owner_ = nullptr;
  deadline_.cancel();
  wake_.cancel();
  hang_up();
}

void NodeDialer::hang_up() {
  boost::system::error_code ignored;
  socket_.close(ignored);
}

void NodeDialer::arm() {
  expired_ = false;
  deadline_.expires_after(options_.connect_timeout);
  deadline_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (error) return;
    self->expired_ = true;
    self->hang_up();
  });
}

void NodeDialer::tell_unreachable(const std::string& why) {
  if (owner_ != nullptr) owner_->node_unreachable(target_.node, why);
}

asio::awaitable<void> NodeDialer::run(std::shared_ptr<NodeDialer> self) {
  Millis next_pause = kFirstPause;
  core::Instant failing_since = core::steady_now();
  // its address is known to be correct, so only its end can be the reason, which will be reported
  bool is_reached = false;
  while (self->owner_ != nullptr) {
    const Result<void> connected = co_await connect();
    deadline_.cancel();
    if (owner_ == nullptr) break;
    if (connected) {
      watch();
      co_await write_queue();
      next_pause = kFirstPause;
      is_reached = true;
    } else if (!is_reached && core::steady_now() - failing_since >= options_.unreachable_after) {
      tell_unreachable(connected.error().message);
      failing_since = core::steady_now();
    }
    hang_up();
    if (owner_ == nullptr) break;
    co_await pause(next_pause);
    next_pause = std::min(next_pause * 2, kLongestPause);
  }
  self->hang_up();
}

// A new message does not end the pause, because the peer has just failed.
asio::awaitable<void> NodeDialer::pause(Millis duration) {
  const core::Instant until = core::steady_now() + duration;
  while (owner_ != nullptr && core::steady_now() < until) {
    wake_.expires_at(until);
    co_await wake_.async_wait(kTuple);
  }
}

asio::awaitable<Result<void>> NodeDialer::connect() {
  boost::system::error_code not_numeric;
  asio::ip::address address = asio::ip::make_address(target_.host, not_numeric);
  if (not_numeric) {
    if (!options_.resolve) co_return fail(Errc::not_found, fmt::format("'{}' is not a numeric address", target_.host));
    auto resolved = co_await options_.resolve(target_.host);
    if (!resolved) co_return fail(resolved.error());
    address = *resolved;
  }
  if (owner_ == nullptr) co_return fail(Errc::cancelled, "closed");
  const asio::ip::tcp::endpoint endpoint(address, target_.port);
  boost::system::error_code error;
  socket_.open(endpoint.protocol(), error);
  if (error) co_return fail(Errc::io, fmt::format("cannot create a socket: {}", error.message()));
  prepare(socket_);
  arm();
  const auto [connect_error] = co_await socket_.async_connect(endpoint, kTuple);
  if (connect_error) {
    co_return expired_
        ? fail(Errc::timeout, fmt::format("no answer within {}", core::format_duration(options_.connect_timeout)))
        : fail(Errc::unavailable, connect_error.message());
  }
  co_return co_await handshake();
}

asio::awaitable<Result<void>> NodeDialer::handshake() {
  session_.emplace(zmtp::SocketType::dealer, identity_of(kSchedulerId), options_.limits);
  std::string output = zmtp::Session::first_bytes();
  while (!session_->open() || !output.empty()) {
    if (!output.empty()) {
      const auto [error, count] = co_await asio::async_write(socket_, asio::buffer(output), kTuple);
      if (error)
        co_return fail(Errc::unavailable, fmt::format("the ZeroMQ handshake was interrupted: {}", error.message()));
      output.clear();
      continue;
    }
    const auto [error, count] = co_await socket_.async_read_some(asio::buffer(buffer_), kTuple);
    if (error) {
      co_return fail(Errc::unavailable, expired_
                                            ? "the node accepts connections but does not finish the ZeroMQ handshake"
                                            : fmt::format("the ZeroMQ handshake was interrupted: {}", error.message()));
    }
    auto step = session_->feed({buffer_.data(), count});
    if (!step) co_return fail(step.error());
    output = std::move(step->output);
  }
  co_return Result<void>{};
}

// Writes until the connection breaks. A message that was sent only in part is kept for the next connection.
asio::awaitable<void> NodeDialer::write_queue() {
  while (owner_ != nullptr && socket_.is_open()) {
    if (queue_.empty()) {
      wake_.expires_at(asio::steady_timer::time_point::max());
      co_await wake_.async_wait(kTuple);
      continue;
    }
    std::vector<asio::const_buffer> buffers;
    for (std::size_t i = 0; i < std::min(queue_.size(), kBuffersPerWrite); ++i)
      buffers.push_back(asio::buffer(queue_[i]));
    const auto [error, count] = co_await asio::async_write(socket_, buffers, kTuple);
    written(count);
    if (error) co_return;
    if (queue_.empty() && owner_ != nullptr) owner_->node_drained();
  }
}

void NodeDialer::written(std::size_t bytes) {
  while (!queue_.empty() && queue_.front().size() <= bytes) {
    bytes -= queue_.front().size();
    queued_bytes_ -= queue_.front().size();
    queue_.pop_front();
  }
}

// The peer's socket is a ROUTER that ps-lite uses only for receiving, so the only thing to read is the end of the
// connection.
void NodeDialer::watch() {
  socket_.async_read_some(asio::buffer(buffer_),
                          [self = shared_from_this()](const boost::system::error_code& error, std::size_t count) {
                            if (!error && self->session_->feed({self->buffer_.data(), count})) {
                              self->watch();
                              return;
                            }
                            self->hang_up();
                            self->wake_.cancel();
                          });
}

}  // namespace ydl::pslite

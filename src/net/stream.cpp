#include "net/stream.hpp"

#include "core/assert.hpp"

#include <algorithm>
#include <cstring>

#include <boost/asio/ip/tcp.hpp>

namespace ydl::net {

namespace {

// Small pieces that are written together are sent as one TLS record, because each record has a fixed cost.
constexpr std::size_t kRecord = std::size_t{4} << 10U;

Attempt from(boost::system::error_code error, std::size_t bytes, Attempt::Wait otherwise) {
  if (error == asio::error::would_block || error == asio::error::try_again) return {{}, 0, otherwise};
  return {error, bytes, std::nullopt};
}

}  // namespace

Stream::Stream(Socket socket) : state_(std::make_shared<State>(std::move(socket))) {
  boost::system::error_code ignored;
  state_->socket.non_blocking(true, ignored);
}

Stream::~Stream() {
  close();
}

// TLS only has the number of the socket. After close() this number may belong to another socket, so it must not be
// used.
Attempt Stream::State::handshake() {
  if (!socket.is_open()) return {asio::error::bad_descriptor};
  return tls->handshake();
}

Attempt Stream::State::peek(unsigned char& first) {
  boost::system::error_code error;
  const auto n = socket.receive(asio::buffer(&first, 1), Socket::message_peek, error);
  return from(error, n, Attempt::Wait::readable);
}

Attempt Stream::State::read(asio::mutable_buffer buffer) {
  if (buffer.size() == 0) return {};
  if (!socket.is_open()) return {asio::error::bad_descriptor};
  if (tls) return tls->read(buffer.data(), buffer.size());
  boost::system::error_code error;
  const auto n = socket.read_some(buffer, error);
  return from(error, n, Attempt::Wait::readable);
}

Attempt Stream::State::write(std::span<const asio::const_buffer> parts) {
  if (parts.empty()) return {};
  if (!socket.is_open()) return {asio::error::bad_descriptor};
  boost::system::error_code error;
  if (!tls) {
    const auto n = socket.write_some(parts, error);
    return from(error, n, Attempt::Wait::writable);
  }
  if (parts.size() == 1 || parts.front().size() >= kRecord)
    return tls->write(parts.front().data(), parts.front().size());
  // If the socket is full, the same call is repeated with the same bytes, as OpenSSL requires.
  std::array<char, kRecord> together{};
  const auto n = asio::buffer_copy(asio::buffer(together), parts);
  return tls->write(together.data(), n);
}

void Stream::State::begin_wait(Direction direction) {
  auto& current = wait(direction);
  current.timed_out = false;
  current.waiting = true;
  ++current.number;
  if (current.deadline == core::Instant::max()) return;
  current.timer.expires_at(current.deadline);
  current.timer.async_wait(
      [self = shared_from_this(), direction, number = current.number](boost::system::error_code error) {
        auto& waiting = self->wait(direction);
        if (error || waiting.number != number) return;
        waiting.timed_out = true;
        waiting.give_up.emit(asio::cancellation_type::all);
      });
}

boost::system::error_code Stream::State::end_wait(Direction direction, boost::system::error_code error) {
  auto& current = wait(direction);
  ++current.number;
  current.waiting = false;
  current.timer.cancel();
  if (current.timed_out) return asio::error::timed_out;
  return error;
}

std::string Stream::peer() const {
  boost::system::error_code error;
  const auto remote = state_->socket.remote_endpoint(error);
  if (error) return "an unknown address";
  if (remote.protocol().family() == AF_UNIX) return "this machine";
  asio::ip::tcp::endpoint address;
  if (remote.size() > address.capacity()) return "an unknown address";
  std::memcpy(address.data(), remote.data(), remote.size());
  address.resize(remote.size());
  return address.address().to_string();
}

bool Stream::has_buffered() const {
  return state_->tls && state_->tls->has_pending();
}

void Stream::expires_at(core::Instant deadline) {
  for (auto* direction : {&state_->reading, &state_->writing}) {
    if (!direction->waiting) direction->deadline = deadline;
  }
}

void Stream::expires_never() {
  expires_at(core::Instant::max());
}

awaitable<std::pair<boost::system::error_code, bool>> Stream::begins_with_tls() {
  static constexpr unsigned char kHandshake = 22;  // the content type of the first TLS record
  unsigned char first = 0;
  const auto [error, n] = co_await start(Direction::reading, Peeking{state_.get(), &first}, tuple);
  co_return std::pair{error, first == kHandshake};
}

awaitable<boost::system::error_code> Stream::handshake(std::unique_ptr<TlsSession> session) {
  YDL_ASSERT(!state_->tls);
  state_->tls = std::move(session);
  state_->tls->attach(state_->socket.native_handle());
  const auto [error, n] = co_await start(Direction::reading, Handshaking{state_.get()}, tuple);
  co_return error;
}

std::string Stream::peer_fingerprint() const {
  return state_->tls ? state_->tls->peer_fingerprint() : "";
}

void Stream::cancel() {
  boost::system::error_code ignored;
  state_->socket.cancel(ignored);
}

void Stream::close() {
  boost::system::error_code ignored;
  state_->socket.close(ignored);
}

void Stream::shutdown_send() {
  boost::system::error_code ignored;
  state_->socket.shutdown(Socket::shutdown_send, ignored);
}

}  // namespace ydl::net

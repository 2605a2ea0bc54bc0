#pragma once

#include "core/clock.hpp"
#include "net/asio.hpp"
#include "net/tls.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/compose.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/post.hpp>

namespace ydl::net {

// A connected socket: TCP or Unix.
using Socket = asio::generic::stream_protocol::socket;

// A connection for HTTP: bytes in both directions, with a deadline for each. Over TCP or a Unix socket, and over TLS
// after handshake(). At most one read and one write may wait at a time. Single-threaded. Models Asio's AsyncStream.
class Stream {
 public:
  using executor_type = asio::any_io_executor;

  explicit Stream(Socket socket);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[nodiscard]] executor_type get_executor() { return state_->socket.get_executor(); }
  [[nodiscard]] Socket& socket() { return state_->socket; }
  // The peer's address for messages; "this machine" for a Unix socket.
  [[nodiscard]] std::string peer() const;
  // Whether TLS has buffered bytes from the peer. Waiting for the socket would not report them.
  [[nodiscard]] bool has_buffered() const;

  // Sets the deadline of reads and writes that start from now on; those that already wait keep theirs. A late one fails
  // with asio::error::timed_out.
  void expires_at(core::Instant deadline);
  void expires_after(core::Millis time) { expires_at(core::steady_now() + time); }
  void expires_never();

  // Waits for the first byte of the peer and tells whether it starts a TLS handshake. The byte is not consumed. Errors:
  // those of the socket and of the deadline.
  [[nodiscard]] awaitable<std::pair<boost::system::error_code, bool>> begins_with_tls();
  // Switches to TLS. Errors: those of the socket and of the deadline, and tls_error().
  [[nodiscard]] awaitable<boost::system::error_code> handshake(std::unique_ptr<TlsSession> session);
  // In lower-case hexadecimal; empty without TLS.
  [[nodiscard]] std::string peer_fingerprint() const;

  // Waiting operations fail with asio::error::operation_aborted.
  void cancel();
  void close();
  // The peer reads end of file. Reading from it is still possible.
  void shutdown_send();

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return start(Direction::reading, Reading{state_.get(), first_of<asio::mutable_buffer>(buffers)},
                 std::forward<Token>(token));
  }
  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    Writing writing{state_.get(), {}, 0};
    for (auto at = asio::buffer_sequence_begin(buffers);
         at != asio::buffer_sequence_end(buffers) && writing.count < writing.parts.size(); ++at) {
      if (const asio::const_buffer part(*at); part.size() > 0) writing.parts[writing.count++] = part;
    }
    return start(Direction::writing, writing, std::forward<Token>(token));
  }

 private:
  enum class Direction { reading, writing };

  // One direction's wait for the socket.
  struct Wait {
    explicit Wait(const executor_type& executor) : timer(executor) {}
    asio::steady_timer timer;
    asio::cancellation_signal give_up;
    core::Instant deadline = core::Instant::max();
    std::uint64_t number = 0;  // of the current wait: a late timer must not end the next wait
    bool waiting = false;
    bool timed_out = false;
  };

  struct State : std::enable_shared_from_this<State> {
    explicit State(Socket socket_) : socket(std::move(socket_)), reading(get_executor()), writing(get_executor()) {}
    executor_type get_executor() { return socket.get_executor(); }
    [[nodiscard]] Attempt read(asio::mutable_buffer buffer);
    [[nodiscard]] Attempt write(std::span<const asio::const_buffer> parts);
    [[nodiscard]] Attempt handshake();
    [[nodiscard]] Attempt peek(unsigned char& first);
    Wait& wait(Direction direction) { return direction == Direction::reading ? reading : writing; }
    void begin_wait(Direction direction);
    // Ends the wait and returns its outcome.
    [[nodiscard]] boost::system::error_code end_wait(Direction direction, boost::system::error_code error);

    Socket socket;
    Wait reading;
    Wait writing;
    std::unique_ptr<TlsSession> tls;
  };

  // The Operation keeps the state alive, so raw pointers are enough here.
  struct Reading {
    State* state;
    asio::mutable_buffer buffer;
    Attempt operator()() const { return state->read(buffer); }
  };
  struct Writing {
    State* state;
    std::array<asio::const_buffer, 8> parts;
    std::size_t count;
    Attempt operator()() const { return state->write({parts.data(), count}); }
  };
  struct Peeking {
    State* state;
    unsigned char* first;
    Attempt operator()() const { return state->peek(*first); }
  };
  struct Handshaking {
    State* state;
    Attempt operator()() const { return state->handshake(); }
  };

  // Tries once, and if the attempt would block, waits for the socket and tries again.
  template <class Try>
  struct Operation {
    std::shared_ptr<State> state;
    Direction direction;
    Try attempt;
    enum class Phase { first, waiting, done } phase = Phase::first;
    Attempt outcome = {};

    template <class Self>
    void operator()(Self& self, boost::system::error_code error = {}) {
      if (phase == Phase::done) return self.complete(outcome.error, outcome.bytes);
      if (phase == Phase::waiting) {
        if (auto slot = self.get_cancellation_state().slot(); slot.is_connected()) slot.clear();
        if (const auto failed = state->end_wait(direction, error)) return self.complete(failed, 0);
      }
      outcome = attempt();
      const auto keep = state;
      if (outcome.wait) {
        phase = Phase::waiting;
        const auto kind = *outcome.wait == Attempt::Wait::readable ? Socket::wait_read : Socket::wait_write;
        keep->begin_wait(direction);
        auto& wait = keep->wait(direction);
        // A cancellation of the operation, for example by a parallel group, must end this wait.
        if (auto outer = self.get_cancellation_state().slot(); outer.is_connected())
          outer.assign([&wait](asio::cancellation_type type) { wait.give_up.emit(type); });
        keep->socket.async_wait(kind, asio::bind_cancellation_slot(wait.give_up.slot(), std::move(self)));
        return;
      }
      if (phase == Phase::waiting) return self.complete(outcome.error, outcome.bytes);
      phase = Phase::done;  // Asio requires that a handler is never called from the initiating function
      asio::post(keep->get_executor(), std::move(self));
    }
  };

  template <class Try, class Token>
  auto start(Direction direction, Try attempt, Token&& token) {
    return asio::async_compose<Token, void(boost::system::error_code, std::size_t)>(
        Operation<Try>{state_, direction, std::move(attempt)}, token, state_->socket);
  }

  template <class Buffer, class Buffers>
  static Buffer first_of(const Buffers& buffers) {
    for (auto at = asio::buffer_sequence_begin(buffers); at != asio::buffer_sequence_end(buffers); ++at) {
      if (const Buffer part(*at); part.size() > 0) return part;
    }
    return {};
  }

  std::shared_ptr<State> state_;
};

}  // namespace ydl::net

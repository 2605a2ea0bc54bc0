#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"
#include "pslite/scheduler.hpp"
#include "pslite/zmtp_session.hpp"

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

namespace ydl::pslite {

class NodeDialerOwner {
 public:
  // The address could not be reached for a long time, or too many bytes are waiting.
  virtual void node_unreachable(NodeId node, const std::string& why) = 0;
  // All messages were sent.
  virtual void node_drained() = 0;

 protected:
  ~NodeDialerOwner() = default;
};

// The scheduler's connection to a node: a DEALER socket named "ps1". Keeps messages until the kernel has accepted all
// their bytes. If the connection breaks, it reconnects with increasing pauses. Lives until close().
class NodeDialer : public std::enable_shared_from_this<NodeDialer> {
 public:
  struct Options {
    Resolve resolve;
    core::Millis connect_timeout{};
    core::Millis unreachable_after{};
    std::size_t queue_bytes = 0;
    zmtp::Limits limits;
  };
  struct Target {
    NodeId node{};
    std::string host;
    std::uint16_t port = 0;
  };
  NodeDialer(const boost::asio::any_io_executor& executor, Target target, Options options, NodeDialerOwner& owner);

  void start();
  void send(std::string bytes);
  void close();
  [[nodiscard]] bool drained() const { return queue_.empty(); }

 private:
  boost::asio::awaitable<void> run(std::shared_ptr<NodeDialer> self);
  boost::asio::awaitable<core::Result<void>> connect();
  boost::asio::awaitable<core::Result<void>> handshake();
  boost::asio::awaitable<void> write_queue();
  boost::asio::awaitable<void> pause(core::Millis duration);
  void watch();
  void arm();
  void written(std::size_t bytes);
  void tell_unreachable(const std::string& why);
  void hang_up();

  Target target_;
  Options options_;
  NodeDialerOwner* owner_;  // null after close()
  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer deadline_;
  boost::asio::steady_timer wake_;  // cancelled to wake the coroutine
  std::optional<zmtp::Session> session_;
  std::deque<std::string> queue_;
  std::size_t queued_bytes_ = 0;
  bool expired_ = false;
  std::array<char, 512> buffer_{};
};

}  // namespace ydl::pslite

#pragma once

#include "pslite/meta_codec.hpp"
#include "pslite/zmtp_session.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace ydl::testing {

// Simulates a worker or server: it registers, gets its id and enters barriers. Throws if the scheduler violates the
// protocol. Must outlive the run of the io_context.
class PsliteNode {
 public:
  using Tcp = boost::asio::ip::tcp;
  using Executor = boost::asio::any_io_executor;

  PsliteNode(const Executor& executor, pslite::Role role, std::uint16_t scheduler_port)
      : role_(role),
        scheduler_(boost::asio::ip::address_v4::loopback(), scheduler_port),
        acceptor_(executor, Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)),
        incoming_(executor),
        outgoing_(executor),
        news_(executor) {}

  [[nodiscard]] std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  [[nodiscard]] pslite::NodeId id() const { return id_.value(); }
  [[nodiscard]] bool is_recovery() const { return is_recovery_; }
  [[nodiscard]] const std::vector<pslite::Node>& latest_list() const { return list_; }

  // From the first connection until it is connected with its id.
  boost::asio::awaitable<void> join() {
    co_await connect("");
    pslite::Meta meta;
    meta.control = pslite::Control{.command = pslite::Command::add_node,
                                   .nodes = {pslite::Node{.role = role_, .host = "127.0.0.1", .port = port()}}};
    meta.timestamp = timestamp_++;
    co_await send(meta);
    incoming_ = co_await acceptor_.async_accept(boost::asio::use_awaitable);
    incoming_.set_option(Tcp::no_delay(true));
    boost::asio::co_spawn(incoming_.get_executor(), receive(), boost::asio::detached);
    while (!id_) co_await wait_for_news();
    co_await connect(pslite::identity_of(*id_));
  }

  boost::asio::awaitable<void> barrier(int group) {
    pslite::Meta meta;
    meta.control = pslite::Control{.command = pslite::Command::barrier, .barrier_group = group};
    meta.request = true;
    meta.app_id = 0;
    meta.customer_id = 0;
    meta.timestamp = timestamp_++;
    const int before = releases_;
    co_await send(meta);
    while (releases_ == before) co_await wait_for_news();
  }

  boost::asio::awaitable<void> send(const pslite::Meta& meta) {
    const std::string bytes = pslite::zmtp::encode_message(pslite::encode(meta));
    co_await boost::asio::async_write(outgoing_, boost::asio::buffer(bytes), boost::asio::use_awaitable);
  }

  // Simulates a killed process by closing all connections.
  void die() {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    incoming_.close(ignored);
    outgoing_.close(ignored);
    news_.cancel();
  }

 private:
  boost::asio::awaitable<void> connect(std::string identity) {
    boost::system::error_code ignored;
    outgoing_.close(ignored);
    co_await outgoing_.async_connect(scheduler_, boost::asio::use_awaitable);
    outgoing_.set_option(Tcp::no_delay(true));
    pslite::zmtp::Session session(pslite::zmtp::SocketType::dealer, std::move(identity));
    co_await shake_hands(outgoing_, session);
  }

  boost::asio::awaitable<void> shake_hands(Tcp::socket& socket, pslite::zmtp::Session& session) {
    std::string output = pslite::zmtp::Session::first_bytes();
    std::vector<char> buffer(256);
    while (true) {
      if (!output.empty())
        co_await boost::asio::async_write(socket, boost::asio::buffer(output), boost::asio::use_awaitable);
      if (session.open()) co_return;
      const std::size_t count =
          co_await socket.async_read_some(boost::asio::buffer(buffer), boost::asio::use_awaitable);
      auto step = session.feed({buffer.data(), count});
      if (!step) throw std::runtime_error(step.error().message);
      output = std::move(step->output);
      for (const auto& message : step->messages) take(message);
    }
  }

  boost::asio::awaitable<void> receive() {
    pslite::zmtp::Session session(pslite::zmtp::SocketType::router, "");
    co_await shake_hands(incoming_, session);
    std::vector<char> buffer(4096);
    while (true) {
      const auto [error, count] = co_await incoming_.async_read_some(boost::asio::buffer(buffer),
                                                                     boost::asio::as_tuple(boost::asio::use_awaitable));
      if (error) co_return;
      const auto step = session.feed({buffer.data(), count});
      if (!step) throw std::runtime_error(step.error().message);
      for (const auto& message : step->messages) take(message);
    }
  }

  void take(const pslite::zmtp::Message& message) {
    const auto meta = pslite::decode_meta(message.frames.at(0));
    if (!meta) throw std::runtime_error(meta.error().message);
    if (meta->control->command == pslite::Command::add_node) {
      list_ = meta->control->nodes;
      for (const pslite::Node& node : list_) {
        if (node.port != port() || node.role != role_) continue;
        id_ = node.id;
        is_recovery_ = node.is_recovery;
      }
    } else if (meta->control->command == pslite::Command::barrier) {
      ++releases_;
    }
    news_.cancel();
  }

  boost::asio::awaitable<void> wait_for_news() {
    news_.expires_at(boost::asio::steady_timer::time_point::max());
    co_await news_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    if (!acceptor_.is_open()) throw std::runtime_error("the node was killed");
  }

  pslite::Role role_;
  Tcp::endpoint scheduler_;
  Tcp::acceptor acceptor_;
  Tcp::socket incoming_;
  Tcp::socket outgoing_;
  boost::asio::steady_timer news_;
  std::optional<pslite::NodeId> id_;
  bool is_recovery_ = false;
  std::vector<pslite::Node> list_;
  std::int32_t timestamp_ = 0;
  int releases_ = 0;
};

}  // namespace ydl::testing

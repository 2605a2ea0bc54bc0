#pragma once

#include "core/clock.hpp"
#include "core/error.hpp"
#include "pslite/scheduler_types.hpp"
#include "pslite/zmtp_session.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

namespace ydl::pslite {

// Receives the events of an accepted connection. Each of the functions may close the link.
class PeerLinkOwner {
 public:
  virtual void link_opened(LinkId link, const std::string& identity) = 0;
  virtual void link_message(LinkId link, const zmtp::Message& message) = 0;
  // Called once, and not after close(). `why` is set if the peer violated the protocol.
  virtual void link_closed(LinkId link, const std::optional<core::Error>& why) = 0;

 protected:
  ~PeerLinkOwner() = default;
};

// A connection from a node to the scheduler, which is a ROUTER and only receives. It lives while its coroutine runs.
class PeerLink : public std::enable_shared_from_this<PeerLink> {
 public:
  PeerLink(LinkId id, boost::asio::ip::tcp::socket socket, zmtp::Limits limits, core::Millis timeout,
           PeerLinkOwner& owner);

  void start();
  void close();
  [[nodiscard]] const std::string& peer() const { return peer_; }
  [[nodiscard]] const std::string& address() const { return address_; }  // of the peer; empty if it has disconnected

 private:
  boost::asio::awaitable<void> run(std::shared_ptr<PeerLink> self);
  boost::asio::awaitable<std::optional<core::Error>> follow();
  void arm(std::string why);
  void opened();

  LinkId id_;
  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer deadline_;
  zmtp::Session session_;
  core::Millis timeout_;
  PeerLinkOwner* owner_;  // null after close()
  std::string peer_;
  std::string address_;
  std::optional<core::Error> expired_;
  std::array<char, 2048> buffer_{};
};

}  // namespace ydl::pslite

#include "pslite/peer_link.hpp"

#include "core/result.hpp"
#include "core/strings.hpp"
#include "net/spawn.hpp"
#include "pslite/protocol.hpp"
#include "pslite/sockets.hpp"

#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

namespace ydl::pslite {
namespace {

namespace asio = boost::asio;
constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

}  // namespace

PeerLink::PeerLink(LinkId id, asio::ip::tcp::socket socket, zmtp::Limits limits, core::Millis timeout,
                   PeerLinkOwner& owner)
    : id_(id),
      socket_(std::move(socket)),
      deadline_(socket_.get_executor()),
      session_(zmtp::SocketType::router, "", limits),
      timeout_(timeout),
      owner_(&owner),
      peer_(remote_name(socket_)),
      address_(remote_address(socket_)) {}

void PeerLink::start() {
  net::spawn(socket_.get_executor(), "reading from a ps-lite node", run(shared_from_this()));
}

void PeerLink::close() {
  owner_ = nullptr;
  deadline_.cancel();
  boost::system::error_code ignored;
  socket_.close(ignored);
}

// Closes the connection after the time limit. With an empty reason the close is not reported.
void PeerLink::arm(std::string why) {
  deadline_.expires_after(timeout_);
  deadline_.async_wait([self = shared_from_this(), why = std::move(why)](const boost::system::error_code& error) {
    if (error || self->owner_ == nullptr) return;
    if (!why.empty()) {
      self->expired_ =
          core::Error{core::Errc::timeout, fmt::format("{} within {}", why, core::format_duration(self->timeout_))};
    }
    boost::system::error_code ignored;
    self->socket_.close(ignored);
  });
}

asio::awaitable<void> PeerLink::run(std::shared_ptr<PeerLink> self) {
  const std::optional<core::Error> why = co_await follow();
  PeerLinkOwner* owner = self->owner_;
  self->close();
  if (owner != nullptr) owner->link_closed(self->id_, why);
}

void PeerLink::opened() {
  deadline_.cancel();
  // A node without an id registers immediately after connecting. A connection that does not must not stay open forever.
  if (!parse_identity(session_.peer_identity())) arm("");
  owner_->link_opened(id_, session_.peer_identity());
}

// Returns when the connection has ended, with a reason if the peer violated the protocol.
asio::awaitable<std::optional<core::Error>> PeerLink::follow() {
  arm("the peer did not finish the ZeroMQ handshake");
  const std::string hello = zmtp::Session::first_bytes();
  const auto [hello_error, hello_bytes] = co_await asio::async_write(socket_, asio::buffer(hello), kTuple);
  if (hello_error) co_return expired_;
  while (owner_ != nullptr) {
    const auto [error, count] = co_await socket_.async_read_some(asio::buffer(buffer_), kTuple);
    if (error || owner_ == nullptr) co_return expired_;
    auto step = session_.feed({buffer_.data(), count});
    if (!step) co_return step.error();
    if (!step->output.empty()) {
      const auto [write_error, written] = co_await asio::async_write(socket_, asio::buffer(step->output), kTuple);
      if (write_error || owner_ == nullptr) co_return expired_;
    }
    if (step->opened) opened();
    if (!step->messages.empty()) deadline_.cancel();
    for (const zmtp::Message& message : step->messages) {
      if (owner_ != nullptr) owner_->link_message(id_, message);
    }
  }
  co_return std::nullopt;
}

}  // namespace ydl::pslite

#include "pslite/scheduler.hpp"

#include "net/spawn.hpp"
#include "pslite/meta_codec.hpp"
#include "pslite/node_dialer.hpp"
#include "pslite/peer_link.hpp"
#include "pslite/scheduler_fsm.hpp"
#include "pslite/sockets.hpp"

#include <algorithm>
#include <deque>
#include <fcntl.h>
#include <map>
#include <set>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

namespace ydl::pslite {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using core::Errc;
using core::fail;
using core::Result;
constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

// Limit for notes about unknown peers, because a peer could cause any number of them.
constexpr int kMaxNotes = 100;
constexpr Millis kAcceptPause(100);
constexpr std::size_t kMostUnknownPeers = 64;  // connections from addresses that do not belong to the job
constexpr Millis kDrainTime(2'000);

// Errors: `exists`, if the port is in use.
Result<tcp::acceptor> listen_on(const asio::any_io_executor& executor, const tcp::endpoint& endpoint,
                                tcp::acceptor::reuse_address reuse) {
  boost::system::error_code error;
  tcp::acceptor acceptor(executor);
  acceptor.open(endpoint.protocol(), error);
  if (!error) {
    ::fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
    acceptor.set_option(reuse, error);
  }
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (!error) return acceptor;
  const bool taken = error == asio::error::address_in_use;
  return fail(taken ? Errc::exists : Errc::io,
              fmt::format("the scheduler cannot listen on {}:{}: {}", endpoint.address().to_string(), endpoint.port(),
                          taken ? "the address is in use" : error.message()));
}

Result<tcp::acceptor> open_acceptor(const asio::any_io_executor& executor, const SchedulerOptions& options) {
  boost::system::error_code error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error) {
    return fail(Errc::usage,
                fmt::format("the scheduler cannot listen on '{}': it is not a numeric address", options.address));
  }
  if (options.last_port <= options.port) {
    // With reuse_address, a port can be used although old connections are still in TIME_WAIT, but not if another
    // process listens on it.
    auto acceptor = listen_on(executor, {address, options.port}, tcp::acceptor::reuse_address(true));
    if (acceptor || acceptor.error().code != Errc::exists) return acceptor;
    return fail(Errc::exists, acceptor.error().message + "; choose another port, or 0 to have a free one chosen");
  }
  for (unsigned port = options.port; port <= options.last_port; ++port) {
    // Within a range, ports that are bound but not listened on are skipped, because they are reserved for tasks.
    auto acceptor =
        listen_on(executor, {address, static_cast<std::uint16_t>(port)}, tcp::acceptor::reuse_address(false));
    if (acceptor || acceptor.error().code != Errc::exists) return acceptor;
  }
  return fail(Errc::exists, fmt::format("the scheduler finds no free port from {} to {} on {}", options.port,
                                        options.last_port, options.address));
}

}  // namespace

// Does the I/O for the state machine, on one thread.
class Scheduler::Engine final : public std::enable_shared_from_this<Engine>,
                                public PeerLinkOwner,
                                public NodeDialerOwner {
 public:
  Engine(tcp::acceptor acceptor, SchedulerOptions options)
      : options_(std::move(options)),
        acceptor_(std::move(acceptor)),
        timer_(acceptor_.get_executor()),
        drain_timer_(acceptor_.get_executor()),
        fsm_(options_.job) {
    if (options_.max_links == 0) {
      options_.max_links = 4 * static_cast<std::size_t>(options_.job.workers + options_.job.servers) + 64;
    }
  }

  void start() {
    if (!std::exchange(accepts_, true))
      net::spawn(acceptor_.get_executor(), "accepting ps-lite nodes", accept(shared_from_this()));
  }

  // Notices for an event of the master are sent only after the master's call has returned.
  void post(Event event) {
    asio::post(acceptor_.get_executor(),
               [self = shared_from_this(), event = std::move(event)] { self->happened(event); });
  }

  [[nodiscard]] std::uint16_t port() const { return options_.job.port; }

  void close() {
    if (std::exchange(closed_, true)) return;
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    timer_.cancel();
    drain_timer_.cancel();
    for (const auto& [id, link] : std::exchange(links_, {})) link->close();
    for (const auto& [id, dialer] : std::exchange(dialers_, {})) dialer->close();
  }

 private:
  // ---- the state machine and its actions
  void happened(Event event) {
    if (closed_) return;
    events_.push_back(std::move(event));
    // Actions and notices can cause further events, which are queued.
    if (std::exchange(busy_, true)) return;
    while (!events_.empty() && !closed_) {
      const Event next = std::exchange(events_.front(), Tick{});
      events_.pop_front();
      for (Action& action : fsm_.handle(next, core::steady_now())) {
        if (closed_) break;
        std::visit([this](auto& wanted) { perform(wanted); }, action);
      }
    }
    busy_ = false;
    arm_timer();
  }

  void perform(const Dial& dial) {
    auto dialer = std::make_shared<NodeDialer>(
        acceptor_.get_executor(), NodeDialer::Target{.node = dial.node, .host = dial.host, .port = dial.port},
        NodeDialer::Options{.resolve = options_.resolve,
                            .connect_timeout = options_.connect_timeout,
                            .unreachable_after = options_.unreachable_after,
                            .queue_bytes = options_.queue_bytes,
                            .limits = limits()},
        *this);
    dialers_[dial.node] = dialer;
    dialer->start();
  }

  void perform(const HangUp& wanted) {
    const auto found = dialers_.find(wanted.node);
    if (found == dialers_.end()) return;
    found->second->close();
    dialers_.erase(found);
  }

  void perform(const Send& wanted) {
    const auto found = dialers_.find(wanted.node);
    if (found != dialers_.end()) found->second->send(zmtp::encode_message(encode(wanted.meta)));
  }

  void perform(const DropLink& wanted) {
    const auto found = links_.find(wanted.link);
    if (found == links_.end()) return;
    found->second->close();
    forget(wanted.link);
  }

  void perform(const Tell& wanted) {
    if (std::holds_alternative<Finished>(wanted.notice)) {
      finish();
    } else {
      notify(wanted.notice);
    }
  }

  // Finished is reported only after the nodes got their last messages, because the master then closes the scheduler.
  void finish() {
    finishing_ = true;
    drain_timer_.expires_after(kDrainTime);
    drain_timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (!error && std::exchange(self->finishing_, false)) self->notify(Finished{});
    });
    node_drained();
  }

  void notify(const Notice& notice) {
    if (closed_ || !options_.notify) return;
    if (std::holds_alternative<Note>(notice) && ++notes_ > kMaxNotes) return;
    options_.notify(notice);
    if (notes_ == kMaxNotes && std::holds_alternative<Note>(notice)) {
      options_.notify(Note{"further notes of the scheduler are suppressed"});
    }
  }

  void arm_timer() {
    const auto deadline = closed_ ? std::nullopt : fsm_.next_deadline();
    if (deadline == armed_) return;
    armed_ = deadline;
    timer_.cancel();
    if (!deadline) return;
    timer_.expires_at(*deadline);
    timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (error) return;
      self->armed_.reset();
      self->happened(Tick{});
    });
  }

  // ---- connections of nodes to us
  asio::awaitable<void> accept(std::shared_ptr<Engine> self) {
    asio::steady_timer pause(acceptor_.get_executor());
    while (!self->closed_) {
      auto [error, socket] = co_await acceptor_.async_accept(kTuple);
      if (closed_) break;
      if (error) {
        // For example, no free descriptors, or the peer has already disconnected. The listener itself still works.
        notify(Note{fmt::format("the scheduler could not accept a connection: {}", error.message())});
        pause.expires_after(kAcceptPause);
        co_await pause.async_wait(kTuple);
        continue;
      }
      const bool known = is_known(remote_address(socket));
      // Connections from unknown addresses have their own limit, so that they cannot block the job's nodes.
      if (!known && unknown_peers_.size() >= kMostUnknownPeers) continue;
      if (known && links_.size() - unknown_peers_.size() >= options_.max_links) {
        notify(Note{fmt::format("the scheduler has reached its limit of {} connections and refused {}", links_.size(),
                                remote_name(socket))});
        continue;
      }
      prepare(socket);
      const LinkId id{next_link_++};
      if (!known) unknown_peers_.insert(id);
      const auto link = std::make_shared<PeerLink>(id, std::move(socket), limits(), options_.handshake_timeout, *this);
      links_[id] = link;
      link->start();
    }
  }

  // Whether the job has a task at this address, or one of its agents has called from it.
  [[nodiscard]] bool is_known(const std::string& address) const {
    if (!options_.vouches_for || address.empty() || options_.vouches_for(address)) return true;
    return fsm_.roster().has_task_at(Role::worker, address) || fsm_.roster().has_task_at(Role::server, address);
  }

  void forget(LinkId link) {
    links_.erase(link);
    unknown_peers_.erase(link);
  }

  void link_opened(LinkId link, const std::string& identity) override {
    const auto& address = links_.at(link)->address();
    happened(LinkOpened{.link = link,
                        .identity = identity,
                        .address = address,
                        .vouched = options_.vouches_for && options_.vouches_for(address)});
  }

  void link_message(LinkId link, const zmtp::Message& message) override {
    if (message.frames.size() != 1) {
      broken(link, "it sent a message with data, which the scheduler does not accept");
      return;
    }
    auto meta = decode_meta(message.frames.front());
    if (!meta) {
      broken(link, fmt::format("it sent an invalid ps-lite message: {}", meta.error().message));
      return;
    }
    happened(Received{.link = link, .meta = *std::move(meta)});
  }

  void link_closed(LinkId link, const std::optional<core::Error>& why) override {
    if (why) {
      broken(link, why->message);
      return;
    }
    forget(link);
    happened(LinkClosed{link});
  }

  // Closes the connection of a peer that violates the protocol. The others are not affected.
  void broken(LinkId link, const std::string& why) {
    const auto found = links_.find(link);
    if (found == links_.end()) return;
    notify(Note{fmt::format("the scheduler closed the connection of {}: {}", found->second->peer(), why)});
    if (closed_) return;
    perform(DropLink{link});
    happened(LinkClosed{link});
  }

  // ---- our connections to nodes
  void node_unreachable(NodeId node, const std::string& why) override {
    happened(Unreachable{.node = node, .why = why});
  }

  void node_drained() override {
    if (!finishing_ || !std::ranges::all_of(dialers_, [](const auto& entry) { return entry.second->drained(); }))
      return;
    finishing_ = false;
    drain_timer_.cancel();
    notify(Finished{});
  }

  [[nodiscard]] zmtp::Limits limits() const { return {.frame_bytes = options_.frame_bytes}; }

  SchedulerOptions options_;
  tcp::acceptor acceptor_;
  asio::steady_timer timer_;
  asio::steady_timer drain_timer_;
  SchedulerFsm fsm_;
  std::map<LinkId, std::shared_ptr<PeerLink>> links_;
  std::set<LinkId> unknown_peers_;  // of the links, those from addresses that are not the job's
  std::map<NodeId, std::shared_ptr<NodeDialer>> dialers_;
  std::deque<Event> events_;
  std::optional<Instant> armed_;
  std::uint64_t next_link_ = 1;
  int notes_ = 0;
  bool busy_ = false;
  bool closed_ = false;
  bool accepts_ = false;
  bool finishing_ = false;
};

Result<std::unique_ptr<Scheduler>> Scheduler::listen(const asio::any_io_executor& executor, SchedulerOptions options) {
  auto acceptor = open_acceptor(executor, options);
  if (!acceptor) return fail(acceptor.error());
  options.job.port = acceptor->local_endpoint().port();
  if (options.job.host.empty()) options.job.host = options.address;
  const bool waits = options.waits_for_begin;
  auto engine = std::make_shared<Engine>(*std::move(acceptor), std::move(options));
  if (!waits) engine->start();
  return std::unique_ptr<Scheduler>(new Scheduler(std::move(engine)));
}

Scheduler::Scheduler(std::shared_ptr<Engine> engine) : engine_(std::move(engine)) {}
Scheduler::~Scheduler() {
  engine_->close();
}

std::uint16_t Scheduler::port() const {
  return engine_->port();
}
void Scheduler::begin(std::string host, std::optional<int> workers) {
  engine_->post(Begin{std::move(host), workers});
  engine_->start();
}
void Scheduler::expect(Expect expected) {
  engine_->post(std::move(expected));
}
void Scheduler::node_exited(NodeExited exited) {
  engine_->post(std::move(exited));
}
void Scheduler::close() {
  engine_->close();
}

}  // namespace ydl::pslite

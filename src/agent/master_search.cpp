// The part of MasterCalls that finds a master: the first Hello, and the search for a master that does not answer.
#include "agent/master_calls.hpp"
#include "core/assert.hpp"
#include "core/json.hpp"
#include "core/log.hpp"
#include "core/user.hpp"
#include "core/utf8.hpp"
#include "core/version.hpp"
#include "net/errors.hpp"
#include "net/spawn.hpp"
#include "protocol/hello.hpp"

#include <algorithm>
#include <unistd.h>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::agent {
namespace {

constexpr core::Millis kFirstHello = core::Seconds(10);
constexpr core::Millis kHelloPause{200};
constexpr unsigned kTryAgain = 503;

core::Result<protocol::Epoch> epoch_of_welcome(std::string_view body) {
  const auto object = core::parse_json_object(body);
  const auto welcome = object ? protocol::welcome_from_json(*object) : core::fail(object.error());
  if (!welcome) return core::fail(welcome.error());
  return welcome->epoch;
}

}  // namespace

// Errors: unavailable (there is no answer, or the master is not ready: try again); others: it does not accept this
// agent.
net::Async<protocol::Epoch> MasterCalls::hello(Client client, std::string master, core::Millis within) {
  const protocol::Hello hello{protocol::kProtocolVersion, std::string(core::kVersion), core::host_name(), ::getpid(),
                              session_.held()};
  const auto answer =
      co_await client->post(path("hello"), core::replace_invalid_utf8(boost::json::serialize(to_json(hello))), within);
  if (!answer && answer.error().code == net::Errc::untrusted && !options_.look) co_return core::fail(answer.error());
  if (!answer || answer->status == kTryAgain) {
    co_return core::fail(core::Errc::unavailable,
                         fmt::format("the master at {} cannot be reached from {}: {}", master, hello.node,
                                     answer ? answer->body : answer.error().message));
  }
  if (answer->status != 200) {
    co_return core::fail(core::Errc::refused,
                         fmt::format("the master at {} refuses this agent: {}", master, answer->body));
  }
  const auto epoch = epoch_of_welcome(answer->body);
  if (!epoch) co_return core::fail(epoch.error().within(fmt::format("the answer of the master at {}", master)));
  if (*epoch < session_.epoch()) {
    co_return core::fail(core::Errc::unavailable, fmt::format("the master at {} was replaced by a later one", master));
  }
  co_return *epoch;
}

void MasterCalls::obey(protocol::Epoch epoch) {
  const bool is_accepted = session_.accept(epoch);
  YDL_ASSERT(is_accepted);
  sent_ = session_.reports().first() - 1;
  lease_.heard(core::steady_now(), epoch.number);
}

net::Endpoint MasterCalls::endpoint_at(const MasterPlace& place) const {
  auto endpoint = options_.master;  // key and certificate are those of the job
  endpoint.address = place.address;
  endpoint.port = place.port;
  endpoint.file.clear();
  endpoint.epoch = place.epoch;
  return endpoint;
}

net::Async<> MasterCalls::say_hello() {
  while (!stopped_) {
    const auto epoch = co_await hello(client_, master(), kFirstHello);
    if (epoch) {
      obey(*epoch);
      co_return core::Result<>{};
    }
    if (epoch.error().code != core::Errc::unavailable) co_return core::fail(epoch.error());
    lease_.unheard(core::steady_now(), epoch.error().message);
    auto action = lease_.next(core::steady_now());
    if (const auto* look = std::get_if<MasterLease::Look>(&action)) {
      co_await look_within(look->within);
      action = lease_.next(core::steady_now());
    }
    if (const auto* give_up = std::get_if<MasterLease::GiveUp>(&action))
      co_return core::fail(core::Errc::unavailable, give_up->why);
    if (const auto* other = std::get_if<MasterLease::SayHello>(&action)) {
      master_ = endpoint_at(other->master);
      client_ = std::make_shared<net::HttpClient>(executor_, master_);
    }
    co_await net::pause(kHelloPause);
  }
  co_return core::fail(core::Errc::unavailable, "this agent was stopped before it reached a master");
}

net::awaitable<void> MasterCalls::keep_look(std::function<net::awaitable<FolderLook>()> look,
                                            std::shared_ptr<PendingLook> pending) {
  pending->found = co_await look();
  pending->ended.notify();
}

net::awaitable<void> MasterCalls::look_within(core::Millis at_most) {
  const auto began = core::steady_now();
  const auto pending = std::make_shared<PendingLook>(executor_);
  look_ = pending;
  net::spawn(executor_, "looking at the job's folder", keep_look(options_.look, pending));
  if (!pending->found && !stopped_) co_await pending->ended.wait(at_most);
  look_.reset();
  if (pending->found)
    lease_.looked(began, *std::move(pending->found));
  else
    lease_.looked(began, Unreadable{"HDFS does not answer"});
}

// Runs from the first failed call until a master is heard again.
net::awaitable<void> MasterCalls::search() {
  while (!stopped_ && !lease_.hears_master()) {
    auto action = lease_.next(core::steady_now());
    if (const auto* wait = std::get_if<MasterLease::Wait>(&action)) {
      co_await changed_.wait(wait->at_most);
    } else if (const auto* look = std::get_if<MasterLease::Look>(&action)) {
      co_await look_within(look->within);
    } else if (auto* successor = std::get_if<MasterLease::SayHello>(&action)) {
      co_await call_successor(std::move(successor->master), successor->within);
    } else {
      lost(std::move(std::get<MasterLease::GiveUp>(action).why));
    }
  }
  searching_ = false;
  changed_.notify();
}

// The attempts that the agent holds must not change while a Hello with them is on its way, so the agent does not call
// the earlier master meanwhile.
net::awaitable<void> MasterCalls::call_successor(MasterPlace place, core::Millis within) {
  const auto endpoint = endpoint_at(place);
  const auto client = std::make_shared<net::HttpClient>(executor_, endpoint);
  successor_ = client;
  drop_open_calls();
  const auto epoch = co_await hello(client, net::describe(endpoint), within);
  successor_.reset();
  changed_.notify();
  if (stopped_) co_return;
  if (epoch) {
    core::log("the master at {} has taken over the job (epoch {})", net::describe(endpoint), epoch->number);
    master_ = endpoint;
    client_ = client;
    obey(*epoch);
  } else if (epoch.error().code == core::Errc::unavailable) {
    lease_.unheard(core::steady_now(), epoch.error().message);
  } else {
    lost(epoch.error().message);
  }
}

}  // namespace ydl::agent

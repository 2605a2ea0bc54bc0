#include "master/takeover_watch.hpp"

#include "core/log.hpp"
#include "net/spawn.hpp"

#include <algorithm>

namespace ydl::master {
namespace {

namespace asio = net::asio;

constexpr core::Millis kTakenLookEvery = core::Seconds(5);
constexpr core::Millis kSilentResourceManager = core::Seconds(10);

// The last answer of HDFS about a later master. A call to an unavailable NameNode may take longer than the master may
// be blind, so the calls run in parallel to the watch.
struct LaterMaster {
  core::Instant heard = core::steady_now();
  bool is_there = false;
  bool is_asked = false;
};

net::awaitable<void> look_for_later_master(std::shared_ptr<JobJournal> journal, std::shared_ptr<LaterMaster> later) {
  const auto taken = co_await journal->is_taken();
  if (taken) later->heard = core::steady_now();
  later->is_there = taken.value_or(false);
  later->is_asked = false;
}

}  // namespace

net::awaitable<void> watch_for_another(Master& master, std::shared_ptr<JobJournal> journal,
                                       const backend::YarnBackend& backend, protocol::Hub& hub, core::Millis blind) {
  const auto executor = co_await asio::this_coro::executor;
  const auto later = std::make_shared<LaterMaster>();
  bool is_suspended = false;
  bool heard_it = true;
  while (!master.finished() && !master.has_left()) {
    co_await net::pause(kTakenLookEvery);
    const auto now = core::steady_now();
    const auto heard = backend.heard_resource_manager();
    const bool hears_it = now - heard < kSilentResourceManager;
    if (std::exchange(heard_it, hears_it) != hears_it) {
      if (hears_it)
        master.scheduler_answers();
      else
        master.scheduler_is_silent();
    }
    if (!hears_it && !std::exchange(later->is_asked, true))
      net::spawn(executor, "looking for a later master", look_for_later_master(journal, later));
    if (later->is_there) co_return master.leave("a later master has started its own journal");
    const bool is_blind = !hears_it && now - std::max(heard, later->heard) > blind;
    if (is_blind == std::exchange(is_suspended, is_blind)) continue;
    core::log("{}", is_blind
                        ? "neither the ResourceManager nor HDFS answers: the agents now look for a master themselves"
                        : "the ResourceManager or HDFS answers again");
    if (is_blind)
      hub.suspend();
    else
      hub.resume();
  }
}

}  // namespace ydl::master

#pragma once

#include "agent/master_lease.hpp"
#include "core/clock.hpp"
#include "net/http_client.hpp"
#include "protocol/agent_session.hpp"
#include "protocol/commands.hpp"
#include "protocol/numbered_queue.hpp"
#include "protocol/reports.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ydl::agent {

// An agent's calls to its master, all on one connection: reports go, commands come. One call is always open, and the
// master answers it when it has a command. A report does not wait for that: it goes with the next call at once, upon
// which the master answers the open one.
//
// While the master does not answer, calls are repeated, and MasterLease says when to look for another master of the
// job. One that has a higher epoch is told what the agent holds, and obeyed from then on.
//
// Single-threaded; life cycle: construct, say_hello(), then run() once.
class MasterCalls {
 public:
  struct Options {
    net::Endpoint master;
    core::AgentId id;
    core::Millis outlives_master = core::Seconds(5);
    core::Millis heartbeat = core::Seconds(5);  // how long a call without news is open
    // Looks at the job's folder; nothing: it has none that agents can read. A look may take as long as it likes: its
    // result is not waited for longer than MasterLease says. It must own what it needs then.
    std::function<net::awaitable<FolderLook>()> look = {};
  };
  struct Listener {
    std::function<void(core::Result<protocol::Command>)> on_command;  // or why one is not understood
    std::function<void()> on_commands_end;                            // after those of one answer
    std::function<void(std::string why)> on_lost;  // no master of the job stands behind this agent any more
  };
  MasterCalls(const net::asio::any_io_executor& executor, Options options, Listener listener);

  // Errors: the master is not there, or does not accept this agent.
  [[nodiscard]] net::Async<> say_hello();
  // Until stop(), or on_lost.
  [[nodiscard]] net::awaitable<void> run();
  void stop();

  void tell(protocol::Report report);
  // An attempt is held from its Prepare to its Release.
  void hold(const core::AttemptId& attempt) { session_.hold(attempt); }
  void release(const core::AttemptId& attempt) { session_.release(attempt); }
  // Until the master has confirmed all reports, stop() or the time is over. No call stays open from then on.
  [[nodiscard]] net::awaitable<void> flush(core::Millis at_most);

 private:
  using Client = std::shared_ptr<net::HttpClient>;
  struct PendingLook {
    explicit PendingLook(const net::asio::any_io_executor& executor) : ended(executor) {}
    net::Signal ended;
    std::optional<FolderLook> found;
  };

  [[nodiscard]] net::awaitable<void> take_answers();
  [[nodiscard]] bool may_send() const;
  [[nodiscard]] std::string next_body();
  [[nodiscard]] core::Result<void> take(const net::HttpResponse& response);
  void failed(const core::Error& why);
  void lost(std::string why);
  void drop_open_calls();
  [[nodiscard]] net::awaitable<void> pause_before_retry();

  [[nodiscard]] net::awaitable<void> search();
  [[nodiscard]] net::awaitable<void> look_within(core::Millis at_most);
  [[nodiscard]] static net::awaitable<void> keep_look(std::function<net::awaitable<FolderLook>()> look,
                                                      std::shared_ptr<PendingLook> pending);
  [[nodiscard]] net::awaitable<void> call_successor(MasterPlace place, core::Millis within);
  [[nodiscard]] net::Async<protocol::Epoch> hello(Client client, std::string master, core::Millis within);
  void obey(protocol::Epoch epoch);
  [[nodiscard]] net::Endpoint endpoint_at(const MasterPlace& place) const;

  [[nodiscard]] std::string path(std::string_view call) const;
  [[nodiscard]] std::string master() const;

  net::asio::any_io_executor executor_;
  Options options_;
  Listener listener_;
  net::Endpoint master_;  // that is called now
  Client client_;         // another object for each master: who waits at an earlier one finds out that it is not this
  Client successor_;      // while it is told hello; no other calls are made meanwhile
  protocol::AgentSession session_;
  MasterLease lease_;
  protocol::Sequence sent_ = 0;          // the last report that is on its way
  std::deque<protocol::Sequence> open_;  // calls without an answer: the last report of each
  bool sending_ = false;                 // the last of them is being written
  bool flushing_ = false;
  core::Millis retry_pause_;
  std::shared_ptr<PendingLook> look_;
  net::Signal changed_;
  bool taking_answers_ = false;
  bool searching_ = false;
  bool stopped_ = false;
};

}  // namespace ydl::agent

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

// An agent's calls to its master, all on one connection. They carry reports to the master and commands back. One call
// is always open, and the master answers it when it has a command. A report need not wait for that: the agent sends it
// in a second call at once, and the master then answers the first one.
//
// While the master does not answer, the agent repeats its calls, and MasterLease determines when it looks for another
// master of the job. A master with a higher epoch gets a Hello with the attempts that the agent holds, and from then on
// the agent obeys that master.
//
// Single-threaded; life cycle: construct, say_hello(), then run() once.
class MasterCalls {
 public:
  struct Options {
    net::Endpoint master;
    core::AgentId id;
    core::Millis outlives_master = core::Seconds(5);
    core::Millis heartbeat = core::Seconds(5);  // how long a call stays open if there is no command
    // Looks at the job's folder; null if agents cannot read it. A look may take long: the agent waits for its result
    // only as long as MasterLease allows. It must therefore own all it needs.
    std::function<net::awaitable<FolderLook>()> look = {};
  };
  struct Listener {
    std::function<void(core::Result<protocol::Command>)> on_command;  // or the error if one cannot be decoded
    std::function<void()> on_commands_end;                            // after the commands of one answer
    std::function<void(std::string why)> on_lost;                     // no master of the job needs this agent any more
  };
  MasterCalls(const net::asio::any_io_executor& executor, Options options, Listener listener);

  // Errors: the master does not answer, or does not accept this agent.
  [[nodiscard]] net::Async<> say_hello();
  // Runs until stop() or on_lost.
  [[nodiscard]] net::awaitable<void> run();
  void stop();

  void tell(protocol::Report report);
  // An attempt is held from its Prepare to its Release.
  void hold(const core::AttemptId& attempt) { session_.hold(attempt); }
  void release(const core::AttemptId& attempt) { session_.release(attempt); }
  // Returns when the master has confirmed all reports, after stop(), or when the time is over. It leaves no call open.
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
  net::Endpoint master_;  // the one that the agent calls now
  Client client_;         // a new object for each master, so that a coroutine can see that its master was replaced
  Client successor_;      // set during the Hello to a new master; no other calls are made meanwhile
  protocol::AgentSession session_;
  MasterLease lease_;
  protocol::Sequence sent_ = 0;          // the number of the last report that was sent
  std::deque<protocol::Sequence> open_;  // calls without an answer: the number of the last report in each
  bool sending_ = false;                 // the last of these calls is being written
  bool flushing_ = false;
  core::Millis retry_pause_;
  std::shared_ptr<PendingLook> look_;
  net::Signal changed_;
  bool taking_answers_ = false;
  bool searching_ = false;
  bool stopped_ = false;
};

}  // namespace ydl::agent

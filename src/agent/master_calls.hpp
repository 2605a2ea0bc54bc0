#pragma once

#include "core/clock.hpp"
#include "net/http_client.hpp"
#include "protocol/agent_session.hpp"
#include "protocol/commands.hpp"
#include "protocol/numbered_queue.hpp"
#include "protocol/reports.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ydl::agent {

// An agent's calls to its master, all on one connection: reports go, commands come. One call is always open, and the
// master answers it when it has a command. A report does not wait for that: it goes with the next call at once, upon
// which the master answers the open one. Single-threaded; life cycle: construct, say_hello(), then run() once.
class MasterCalls {
 public:
  struct Options {
    net::Endpoint master;
    core::AgentId id;
    core::Millis outlives_master = core::Seconds(5);
    core::Millis heartbeat = core::Seconds(5);  // how long a call without news is open
  };
  struct Listener {
    std::function<void(core::Result<protocol::Command>)> on_command;  // or why one is not understood
    std::function<void()> on_commands_end;                            // after those of one answer
    std::function<void(std::string why)> on_lost;  // the master is gone, or does not know this agent any more
  };
  MasterCalls(const net::asio::any_io_executor& executor, Options options, Listener listener);

  // Errors: the master is not there, or does not accept this agent.
  [[nodiscard]] net::Async<> say_hello();
  // Until stop(), or on_lost.
  [[nodiscard]] net::awaitable<void> run();
  void stop();
  void tell(protocol::Report report);

 private:
  [[nodiscard]] net::awaitable<void> take_answers();
  [[nodiscard]] bool may_send() const;
  [[nodiscard]] std::string next_body();
  [[nodiscard]] core::Result<void> take(const net::HttpResponse& response);
  void failed(const core::Error& why);
  void drop_open_calls();
  [[nodiscard]] core::Result<void> welcomed(std::string_view body);
  [[nodiscard]] std::string path(std::string_view call) const;
  [[nodiscard]] std::string master() const;

  Options options_;
  Listener listener_;
  net::HttpClient client_;
  protocol::AgentSession session_;
  protocol::Sequence sent_ = 0;          // the last report that is on its way
  std::deque<protocol::Sequence> open_;  // calls without an answer: the last report of each
  bool sending_ = false;                 // the last of them is being written
  std::optional<core::Instant> silent_since_;
  net::Signal changed_;
  bool taking_answers_ = false;
  bool stopped_ = false;
};

}  // namespace ydl::agent

#pragma once

#include "agent/told_nodes.hpp"
#include "core/result.hpp"
#include "net/asio.hpp"
#include "protocol/commands.hpp"
#include "pslite/scheduler.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace ydl::agent {

// Runs the scheduler of the parameter servers for one start of an MXNet job, in the agent of the first server or in the
// master. Calls may be repeated without effect.
//
// Life cycle: start(), expect() for all tasks, then expect() and ended() for single ones; it ends with the object.
// No node can register before the first expect(). Single-threaded; the sink is never called from within its functions.
class SchedulerHost {
 public:
  struct Sink {
    std::function<void(std::string)> broken;  // why the job cannot continue
    std::function<void(std::string)> note;    // for the user
  };
  using PortRange = std::pair<std::uint16_t, std::uint16_t>;

  // Without a range the kernel chooses the port. Errors: there is no free port.
  [[nodiscard]] static core::Result<std::unique_ptr<SchedulerHost>> start(const net::asio::any_io_executor& executor,
                                                                          const protocol::SchedulerPlan& plan,
                                                                          std::optional<PortRange> port_range,
                                                                          Sink sink);

  [[nodiscard]] std::uint16_t port() const { return scheduler_->port(); }

  void expect(const protocol::SchedulerExpect& command);
  void ended(const protocol::SchedulerEnded& command);

 private:
  explicit SchedulerHost(Sink sink) : sink_(std::move(sink)) {}
  void on(const pslite::Notice& notice) const;

  Sink sink_;
  std::set<std::string> addresses_;  // of hosts of this job
  ToldNodes told_;
  bool begun_ = false;
  std::unique_ptr<pslite::Scheduler> scheduler_;
};

}  // namespace ydl::agent

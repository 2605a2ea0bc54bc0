#pragma once

#include "agent/master_calls.hpp"
#include "net/asio.hpp"

#include <functional>
#include <memory>
#include <string>

namespace ydl::bench {

// An agent without processes. It calls its master as a real one does, holds no ports and starts nothing: a command is
// answered with the report that says it is done.
class HollowAgent : public std::enable_shared_from_this<HollowAgent> {
 public:
  struct Options {
    net::Endpoint master;
    core::AgentId id;
    core::Millis task_life{0};    // then its task succeeds; 0: it runs until it is stopped
    core::Millis line_period{0};  // between two changes of the task's last line; 0: there are none
  };
  HollowAgent(const net::asio::any_io_executor& executor, Options options, std::function<void()> on_end);

  void start();

 private:
  [[nodiscard]] static net::awaitable<void> live(std::shared_ptr<HollowAgent> self);
  [[nodiscard]] static net::awaitable<void> run_task(std::shared_ptr<HollowAgent> self, core::AttemptId attempt);
  void take(const protocol::Command& command);
  void on(const protocol::Prepare& command);
  void on(const protocol::Launch& command);
  void on(const protocol::Stop& command);
  void on(const protocol::Warn&) {}
  void on(const protocol::CallOff&) {}
  void on(const protocol::ReadLog&) {}
  void on(const protocol::Release&) { running_ = false; }
  void on(const protocol::Shutdown&) { calls_.stop(); }
  void end_task(const core::AttemptId& attempt, job::ExitStatus status);

  net::asio::any_io_executor executor_;
  Options options_;
  std::function<void()> on_end_;
  agent::MasterCalls calls_;
  bool running_ = false;
};

}  // namespace ydl::bench

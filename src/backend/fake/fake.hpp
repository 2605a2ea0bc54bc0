#pragma once

#include "backend/backend.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace ydl::backend {

// What happens to one task; all members are optional: {.run_for = Millis(5), .exit_code = 3}. Times start when the task
// is placed or launched.
struct FakeTask {
  core::Millis place_after{0};  // how long it takes to find a host
  std::string cannot_place{};   // not empty: no host is ever found, for this reason
  core::Millis start_after{0};
  std::string start_error{};  // the start fails with this sentence
  bool start_error_permanent = false;
  core::Millis run_for{0};  // then it exits
  int exit_code = 0;
  int exit_signal = 0;
  bool ignores_stop = false;  // ends only when the grace is over
  bool never_ends = false;    // until it is stopped
  std::optional<core::Millis> lose_node_after{};
  std::string says{};  // its last line of output
};

// A backend without processes: tasks follow a script. It really waits for the times in the script, so use milliseconds.
// The script is keyed by task ("worker:0") or task and attempt ("worker:0#2"); others use the default.
class FakeBackend final : public Backend {
 public:
  using Script = std::map<std::string, FakeTask>;

  FakeBackend(net::asio::any_io_executor executor, Sink sink, Script script, FakeTask otherwise = {});
  ~FakeBackend() override;

  [[nodiscard]] net::Async<> open() override;
  void place(TaskRequest request) override;
  void launch(protocol::Launch request) override;
  void stop(protocol::Stop request) override;
  void pass(protocol::Notice /*notice*/) override {}
  void release(const core::AttemptId& attempt) override;
  [[nodiscard]] net::awaitable<void> close(const job::Outcome& outcome) override;

  // Attempts that are placed and not released. Empty at the end, unless one was leaked.
  [[nodiscard]] std::size_t places_held() const;
  // Attempts that were launched and have not ended.
  [[nodiscard]] std::size_t tasks_running() const;

  struct State;  // shared with the coroutines that simulate the tasks

 private:
  std::shared_ptr<State> state_;
};

}  // namespace ydl::backend

#pragma once

#include "backend/backend.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace ydl::backend {

// What shall happen to one task, all of it optional: {.run_for = Millis(5), .exit_code = 3}. Times count from the
// moment the task is launched, or placed.
struct FakeTask {
  core::Millis place_after{0};  // the host takes this long to be found
  std::string cannot_place{};   // the reason why there never will be one
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

// A backend without processes: tasks do what a script says, on a clock that is really waited for (use milliseconds).
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

  // Attempts that hold a place now; empty when nothing was leaked.
  [[nodiscard]] std::size_t places_held() const;
  // Attempts that were launched and have not ended.
  [[nodiscard]] std::size_t tasks_running() const;

  struct State;  // shared with the coroutines that live the tasks' lives

 private:
  std::shared_ptr<State> state_;
};

}  // namespace ydl::backend

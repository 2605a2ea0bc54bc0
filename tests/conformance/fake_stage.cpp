#include "backend/fake/fake.hpp"
#include "conformance/stage.hpp"

#include <fmt/format.h>

namespace ydl::backend::test {
namespace {

FakeTask script_of(Does what) {
  FakeTask task;
  switch (what) {
    case Does::ends_well:
      break;
    case Does::exits_3:
      task.exit_code = 3;
      break;
    case Does::aborts:
      task.exit_signal = 6;
      break;
    case Does::runs_on:
    case Does::ignores_stop:
      task.never_ends = true;
      task.says = kReady;
      task.ignores_stop = what == Does::ignores_stop;
      break;
    case Does::loses_results:
      task.exit_code = 1;  // it has no results that could be lost
      break;
    case Does::is_missing:
      task.start_error = "there is no such program";
      task.start_error_permanent = true;
      break;
  }
  return task;
}

FakeBackend::Script script() {
  FakeBackend::Script script;
  for (const auto what : kAllOfThem) {
    for (int i = 0; i < kMostTasks; ++i) script[fmt::format("{}:{}", role_of(what), i)] = script_of(what);
  }
  return script;
}

class FakeStage final : public Stage {
 public:
  FakeStage(ydl::test::Loop& loop, Sink sink) : backend_(loop.executor(), std::move(sink), script()) {}

  Backend& backend() override { return backend_; }
  std::vector<std::string> command(Does what) override { return {role_of(what)}; }
  std::size_t running() override { return backend_.tasks_running(); }

 private:
  FakeBackend backend_;
};

}  // namespace

std::unique_ptr<Stage> fake_stage(ydl::test::Loop& loop, Sink sink) {
  return std::make_unique<FakeStage>(loop, std::move(sink));
}

}  // namespace ydl::backend::test

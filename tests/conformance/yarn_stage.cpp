// A YARN cluster of imposters: real RPC on loopback, agents without processes.
#include "backend/yarn/yarn_backend.hpp"
#include "conformance/stage.hpp"
#include "support/imposter_yarn.hpp"

namespace ydl::backend::test {
namespace {

ydl::test::HollowTask task_of(Does what) {
  switch (what) {
    case Does::ends_well:
      return {};
    case Does::exits_3:
      return {.exit_code = 3};
    case Does::aborts:
      return {.exit_signal = 6};
    case Does::runs_on:
      return {.says = kReady, .never_ends = true};
    case Does::ignores_stop:
      return {.says = kReady, .never_ends = true, .ignores_stop = true};
    case Does::is_missing:
      return {.start_error = "there is no such program"};
    case Does::loses_results:
      return {.results_problem = "HDFS is full"};
  }
  return {};
}

ydl::test::HollowTask play(const core::AttemptId& attempt) {
  for (const auto what : kAllOfThem) {
    if (attempt.task.role == role_of(what)) return task_of(what);
  }
  return {};
}

class YarnStage final : public Stage {
 public:
  YarnStage(ydl::test::Loop& loop, Sink sink)
      : loop_(loop), hub_(loop.executor()), cluster_(loop.executor(), hub_, play) {
    YarnOptions options;
    options.job.user = "ann";
    options.job.queue = "default";
    options.job.folder = "/jobs/x";
    options.job.results = "/jobs/x/results";
    options.job.nodes = {cluster_.node()};
    options.config = cluster_.config();
    options.token.kind = yarn::kAmRmToken;
    for (const auto what : kAllOfThem)
      options.roles.push_back({.name = role_of(what), .resource = {.memory_mib = 1024, .vcores = 1}});
    options.address = "127.0.0.1";
    options.port = 9;
    options.reconnect_pause = core::Millis(10);
    backend_ = std::make_unique<YarnBackend>(loop.executor(), hub_, std::move(sink), std::move(options));
  }

  ~YarnStage() override { loop_.settle(); }  // agents that were just forgotten still use the hub

  Backend& backend() override { return *backend_; }
  std::vector<std::string> command(Does what) override { return {role_of(what)}; }
  std::optional<std::size_t> containers_used() override { return cluster_.containers().size(); }
  std::size_t running() override { return static_cast<std::size_t>(cluster_.tasks_running()); }

 private:
  ydl::test::Loop& loop_;
  protocol::Hub hub_;
  ydl::test::ImposterYarn cluster_;
  std::unique_ptr<YarnBackend> backend_;
};

}  // namespace

std::unique_ptr<Stage> yarn_stage(ydl::test::Loop& loop, Sink sink) {
  return std::make_unique<YarnStage>(loop, std::move(sink));
}

}  // namespace ydl::backend::test

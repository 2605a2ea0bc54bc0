#include "conformance/local_stage.hpp"

#include "agent/process/proc_tree.hpp"
#include "core/strings.hpp"
#include "master/api.hpp"
#include "net/endpoint_file.hpp"

#include <algorithm>
#include <stdexcept>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::backend::test {
namespace {

http::ServerOptions server_options(const std::string& secret, const std::filesystem::path& file) {
  http::ServerOptions options;
  options.file = file;
  options.secret = secret;
  return options;
}

http::Router agent_routes(protocol::Hub& hub) {
  http::Router router;
  master::add_agent_routes(router, hub);
  return router;
}

}  // namespace

LocalStage::LocalStage(ydl::test::Loop& loop, Sink sink, std::string executable)
    : secret_(core::random_hex(16)),
      hub_(loop.executor()),
      server_(loop.executor(), server_options(secret_, dir_.path() / "master.sock"), agent_routes(hub_)) {
  LocalOptions options;
  options.credentials = dir_.path() / "master.json";
  options.agent_log = dir_.path() / "agent.log";
  options.executable = std::move(executable);
  options.files = files();
  auto listening = server_.listen();
  if (listening)
    listening = net::write_endpoint(options.credentials,
                                    {.address = {}, .secret = secret_, .file = dir_.path() / "master.sock"});
  if (!listening) throw std::runtime_error(listening.error().message);
  backend_ = std::make_unique<LocalBackend>(loop.executor(), hub_, std::move(sink), std::move(options));
}

LocalStage::~LocalStage() = default;

LocalFiles LocalStage::files() const {
  LocalFiles files;
  files.folders_of = [root = dir_.path()](const core::AttemptId& attempt) {
    const auto name = attempt.task.file_name();
    return LocalFiles::Folders{root / "tasks" / name, root / "results" / name,
                               root / "logs" / name / std::to_string(attempt.attempt)};
  };
  return files;
}

std::vector<std::string> LocalStage::command(Does what) {
  const auto shell = [](std::string script) { return std::vector<std::string>{"/bin/sh", "-c", std::move(script)}; };
  switch (what) {
    case Does::ends_well:
      return {"/bin/true"};
    case Does::exits_3:
      return shell("exit 3");
    case Does::aborts:
      return shell("kill -ABRT $$");
    case Does::runs_on:
      return shell(fmt::format("echo {}; exec sleep 60", kReady));
    case Does::ignores_stop:
      return shell(fmt::format("trap '' TERM; echo {}; exec sleep 60", kReady));
    case Does::is_missing:
      return {"/nowhere/no-such-program"};
    case Does::loses_results:
      return shell("rm -rf $YDL_RESULTS_DIR && touch $YDL_RESULTS_DIR && touch model.params");
  }
  return {};
}

// What the commands below become.
std::size_t LocalStage::running() {
  const auto processes = agent::list_processes();
  const auto ours = agent::descendants_of(::getpid(), processes);
  return static_cast<std::size_t>(std::ranges::count_if(ours, [](const auto& process) {
    const auto name = agent::process_name(process.pid);
    return !process.is_zombie() && (name == "sleep" || name == "sh");
  }));
}

std::string LocalStage::complaints() {
  const auto log = core::read_file(dir_.path() / "agent.log").value_or("");
  return log.find("Sanitizer") == std::string::npos && log.find("runtime error") == std::string::npos ? "" : log;
}

pid_t LocalStage::agent_pid() {
  for (const auto& process : agent::list_processes()) {
    if (process.parent == ::getpid()) return process.pid;
  }
  return 0;
}

std::unique_ptr<Stage> local_stage(ydl::test::Loop& loop, Sink sink) {
  return std::make_unique<LocalStage>(loop, std::move(sink));
}

}  // namespace ydl::backend::test

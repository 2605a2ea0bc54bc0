#pragma once

#include "backend/backend.hpp"
#include "net/child_process.hpp"
#include "protocol/hub.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ydl::backend {

// The paths of a job's tasks on this machine.
struct LocalFiles {
  struct Folders {
    std::filesystem::path working;
    std::filesystem::path results;
    std::filesystem::path logs;
  };
  std::function<Folders(const core::AttemptId&)> folders_of;
  std::string linked_directory = {};  // as in protocol::Prepare
  std::vector<protocol::Link> links = {};
};

struct LocalOptions {
  std::filesystem::path credentials;  // the file with the master's address and the agent's secret
  std::filesystem::path agent_log;
  core::Millis agent_silence = core::Seconds(30);  // an agent that is silent for this long is killed, not replaced
  core::Millis stop_silence = core::Seconds(3);    // the same for one that has not taken a stop without grace
  std::string executable = net::kOwnExecutable;    // the program of the agent, a ydl
  LocalFiles files;
};

// Tasks as processes of this machine, under one agent process. The agent reads its standard input: when this backend or
// the whole master ends, the input ends, and the agent kills every task.
class LocalBackend final : public Backend {
 public:
  LocalBackend(net::asio::any_io_executor executor, protocol::Hub& hub, Sink sink, LocalOptions options);
  ~LocalBackend() override;

  [[nodiscard]] net::Async<> open() override;
  void place(TaskRequest request) override;
  void launch(protocol::Launch request) override;
  void stop(protocol::Stop request) override;
  void pass(protocol::Notice notice) override;
  void release(const core::AttemptId& attempt) override;
  [[nodiscard]] net::awaitable<void> close(const job::Outcome& outcome) override;

  struct State;  // shared with the coroutine that watches the agent

 private:
  std::shared_ptr<State> state_;
};

// The Prepare command for the agent on this machine. Pure.
[[nodiscard]] protocol::Prepare prepare_here(const TaskRequest& request, const LocalFiles& files);

// The resources that all tasks of a job need together.
struct Needs {
  int tasks = 0;
  std::uint64_t memory = 0;  // bytes, if requested explicitly
  int gpus = 0;
  std::string gpu_users;  // "1 for each of 2 workers", for the error
};
struct Machine {
  int cores = 1;
  std::uint64_t memory = 0;
  int gpus = 0;
};

// Whether the job fits on this machine; pure. Errors: no_capacity, with the request, the capacity and the remedy.
[[nodiscard]] core::Result<void> check_capacity(const Needs& needs, const Machine& machine);

}  // namespace ydl::backend

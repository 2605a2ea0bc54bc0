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

// Where the files of a job's tasks lie on this machine.
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
  std::filesystem::path credentials;  // the file that tells the agent where the master is and its secret
  std::filesystem::path agent_log;
  core::Millis agent_silence = core::Seconds(30);  // an agent that is silent for this long is killed, not replaced
  core::Millis stop_silence = core::Seconds(3);    // and so is one that has not even taken a stop without grace
  std::string executable = net::kOwnExecutable;    // the ydl that becomes the agent
  LocalFiles files;
};

// Tasks as processes of this machine, under one agent process. The agent is ended through its standard input: when
// this backend, or the whole master, is gone, the agent reads the end of it and kills every task.
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

// What the agent on this machine is told to prepare. Pure.
[[nodiscard]] protocol::Prepare prepare_here(const TaskRequest& request, const LocalFiles& files);

// What a job needs of one machine, all tasks together.
struct Needs {
  int tasks = 0;
  std::uint64_t memory = 0;  // asked for explicitly, bytes
  int gpus = 0;
  std::string gpu_users;  // "worker asks for 1 each": for the sentence
};
struct Machine {
  int cores = 1;
  std::uint64_t memory = 0;
  int gpus = 0;
};

// Whether this machine can hold the job; pure. Errors: no_capacity, with what was asked, what is there and what to do.
[[nodiscard]] core::Result<void> check_capacity(const Needs& needs, const Machine& machine);

}  // namespace ydl::backend

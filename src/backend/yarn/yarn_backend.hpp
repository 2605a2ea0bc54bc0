#pragma once

#include "backend/backend.hpp"
#include "backend/yarn/yarn_job.hpp"
#include "backend/yarn/yarn_machine.hpp"
#include "hconf/config.hpp"
#include "hdfs/file_system.hpp"
#include "protocol/hub.hpp"
#include "spec/job_spec.hpp"
#include "yarn/credentials.hpp"
#include "yarn/image_runtime.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ydl::backend {

struct YarnOptions {
  YarnJob job;
  hconf::Config config;
  hrpc::Token token;  // the AMRM token
  std::shared_ptr<hdfs::FileSystem> fs;
  std::function<yarn::Credentials(const core::AgentId&)> credentials_of;  // what an agent's container is started with
  std::vector<YarnRole> roles;
  spec::Acl acl;
  std::optional<yarn::ImageRuntime> image;  // that NodeManagers are to run the agents in
  std::string address;                      // numeric: where agents and clients reach this master
  std::uint16_t port = 0;
  std::string tracking_url;  // of the job's page, for the ResourceManager's proxy; empty: it has none
  core::Millis outlives_master = core::Seconds(60);  // how long agents go on when the master does not answer
  core::Millis agent_silence = core::Seconds(60);    // as in YarnMachineOptions, like the next three
  core::Millis blind = std::chrono::minutes(5);
  bool can_be_replaced = false;
  bool replaces_another = false;
  core::Millis reconnect_pause = core::Seconds(1);  // Hadoop's own is half a minute, too long for a job
  std::function<void(const yarn::Registration&)> on_registered = {};
  std::function<net::awaitable<void>()> before_finish = {};  // the last words, before the ResourceManager hears the end
  // Whether another master would know of the end. If not, the ResourceManager is told first, and until it hears it.
  std::function<bool()> end_is_kept = {};
};

// Tasks in containers of a YARN cluster, one agent in each. This is the driver: it carries out what YarnMachine decides
// and tells it what came of it.
class YarnBackend final : public Backend {
 public:
  YarnBackend(net::asio::any_io_executor executor, protocol::Hub& hub, Sink sink, YarnOptions options);
  ~YarnBackend() override;

  [[nodiscard]] net::Async<> open() override;
  void place(TaskRequest request) override;
  void launch(protocol::Launch request) override;
  void stop(protocol::Stop request) override;
  void pass(protocol::Notice notice) override;
  void release(const core::AttemptId& attempt) override;
  void adopt(TaskRequest request, const job::Adopt& adopted) override;
  void adopted_all() override;
  void avoid(const std::string& node) override;
  void forgive(const std::string& node) override;
  [[nodiscard]] net::awaitable<void> close(const job::Outcome& outcome) override;

  // When the ResourceManager last answered.
  [[nodiscard]] core::Instant heard_resource_manager() const;

  struct State;  // shared with the coroutines that speak to the cluster

 private:
  std::shared_ptr<State> state_;
};

}  // namespace ydl::backend

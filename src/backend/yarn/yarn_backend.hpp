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
  std::function<yarn::Credentials(const core::AgentId&)> credentials_of;  // the credentials of an agent's container
  std::vector<YarnRole> roles;
  spec::Acl acl;
  std::optional<yarn::ImageRuntime> image;  // the image in which NodeManagers run the agents
  std::string address;                      // the numeric address at which agents and clients reach this master
  std::uint16_t port = 0;
  std::string tracking_url;  // of the job's page, for the ResourceManager's proxy; empty if there is none
  core::Millis outlives_master = core::Seconds(60);  // how long agents continue while the master does not answer
  core::Millis agent_silence = core::Seconds(60);    // as in YarnMachineOptions, like the next three
  core::Millis blind = std::chrono::minutes(5);
  bool can_be_replaced = false;
  bool replaces_another = false;
  core::Millis reconnect_pause = core::Seconds(1);  // Hadoop's default of half a minute is too long for a job
  std::function<void(const yarn::Registration&)> on_registered = {};
  std::function<net::awaitable<void>()> before_finish = {};  // called before the end is reported to the ResourceManager
  // Whether another master would find the end in the journal. If not, the end is reported to the ResourceManager first,
  // and repeated until it answers.
  std::function<bool()> end_is_kept = {};
};

// Runs tasks in containers of a YARN cluster, with one agent in each. This is the driver: it carries out the actions of
// YarnMachine and reports their results to it.
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

  struct State;  // shared with the coroutines that call the cluster

 private:
  std::shared_ptr<State> state_;
};

}  // namespace ydl::backend

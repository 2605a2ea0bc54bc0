#pragma once

#include "backend/backend.hpp"
#include "backend/yarn/yarn_job.hpp"
#include "hconf/config.hpp"
#include "hdfs/file_system.hpp"
#include "protocol/hub.hpp"
#include "yarn/ask_policy.hpp"
#include "yarn/credentials.hpp"
#include "yarn/image_runtime.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ydl::backend {

// One role of the job as the ResourceManager is asked for it.
struct YarnRole {
  std::string name;
  yarn::Resource resource;
  std::string label = {};
  std::vector<std::string> hosts = {};  // as in yarn::RoleAsk
  std::vector<std::string> racks = {};
  yarn::Arrangement arrangement = yarn::Arrangement::spread;
};

struct YarnOptions {
  YarnJob job;
  hconf::Config config;
  hrpc::Token token;  // the AMRM token
  std::shared_ptr<hdfs::FileSystem> fs;
  yarn::Credentials agent_credentials;  // what each container is started with
  std::vector<YarnRole> roles;
  std::optional<yarn::ImageRuntime> image;  // that NodeManagers are to run the agents in
  std::string address;                      // numeric: where agents and clients reach this master
  std::uint16_t port = 0;
  core::Millis outlives_master = core::Seconds(60);          // how long agents go on when the master does not answer
  core::Millis agent_silence = core::Seconds(90);            // an agent that says nothing for so long is lost
  std::function<net::awaitable<void>()> before_finish = {};  // the last words, before the ResourceManager hears the end
};

// Tasks in containers of a YARN cluster, one agent in each. This is the driver: what to ask for is
// yarn::AllocatorFsm's, which attempt has which container ContainerBook's, what a container's end means
// what_it_means()'s.
class YarnBackend final : public Backend {
 public:
  YarnBackend(net::asio::any_io_executor executor, protocol::Hub& hub, Sink sink, YarnOptions options);
  ~YarnBackend() override;

  [[nodiscard]] net::Async<> open() override;
  void place(protocol::Prepare request) override;
  void launch(protocol::Launch request) override;
  void stop(protocol::Stop request) override;
  void release(const core::AttemptId& attempt) override;
  [[nodiscard]] net::awaitable<void> close(const job::Outcome& outcome) override;

  struct State;  // shared with the coroutines that speak to the cluster

 private:
  std::shared_ptr<State> state_;
};

}  // namespace ydl::backend

#pragma once

#include "core/result.hpp"
#include "models.hpp"
#include "yarn/allocation.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ydl::chaos {

// The ResourceManager and its NodeManagers. What the ResourceManager says and what runs are two things: a container
// that it has ended lives until its NodeManager hears so, and for ever where that one does not know it any more.
class Cluster {
 public:
  explicit Cluster(World& world);

  void start();

  // ---- calls of masters; an error is one of the ResourceManager
  [[nodiscard]] core::Result<yarn::Registration> register_master(int attempt);
  [[nodiscard]] core::Result<yarn::AllocateResponse> allocate(int attempt, const yarn::AllocateRequest& request);
  [[nodiscard]] core::Result<> finish(int attempt);

  // ---- calls to NodeManagers, that are reachable
  [[nodiscard]] bool start_container(const yarn::Container& container, int master);
  // The master has taken the grant: it will be started, or released.
  void is_to_be_started(const yarn::ContainerId& id) { to_be_started_.insert(id); }
  void stop_container(const std::string& host, const yarn::ContainerId& id);
  enum class Seen { running, complete, unknown };
  [[nodiscard]] Seen look_at(const std::string& host, const yarn::ContainerId& id);

  // ---- faults
  void lose_host(const std::string& host);
  void restore_host(const std::string& host);
  void kill_node_manager(const std::string& host);
  // It recovers the application, and learns of containers again from their NodeManagers; it has forgotten what it was
  // asked for.
  void stop_resource_manager();
  void restart_resource_manager();
  enum class Restart { recovering, forgetful };
  void restart_node_manager(const std::string& host, Restart kind);
  void preempt_one();

  // A process has ended by itself or was killed.
  void container_exited(const yarn::ContainerId& id, int exit_status);
  void master_exited(int attempt);

  [[nodiscard]] bool is_over() const { return over_; }
  [[nodiscard]] int attempt() const { return attempt_; }

 private:
  enum class Phase { granted, acquired, running, completed };
  struct Known {
    yarn::Container container;
    Phase phase = Phase::granted;
    std::optional<Instant> taken = {};  // the master has this grant
    bool is_forgotten = false;          // by a ResourceManager that has restarted, until its NodeManager tells
  };
  struct Node {
    std::map<yarn::ContainerId, std::optional<int>> containers;  // exit status of those that have ended
    std::set<yarn::ContainerId> reported;                        // ends that the ResourceManager has heard
    std::set<yarn::ContainerId> to_kill;                         // told with the next heartbeat
    std::set<int> masters_to_kill;
    bool registers = false;  // anew, without containers
    bool is_lost = false;    // for the ResourceManager
    Instant heard{};
  };

  void heartbeat(const std::string& host);
  void watch();
  void check_grants();
  void schedule(const std::string& host);
  [[nodiscard]] std::optional<yarn::AskKey> wanted_on(const std::string& host) const;
  void take_ask(const yarn::AskKey& key, const std::string& host);
  void complete(const yarn::ContainerId& id, int exit_status, const std::string& text);
  void lose_node(const std::string& host);
  void attempt_ended(const std::string& why);
  void launch_master();
  void kill_container(const std::string& host, const yarn::ContainerId& id, int exit_status);
  [[nodiscard]] int used(const std::string& host) const;

  World& world_;
  std::map<std::string, Node> nodes_;
  int attempt_ = 0;
  bool has_attempt_ = false;
  bool registered_ = false;
  bool over_ = false;
  Instant master_heard_{};
  std::string master_host_;
  std::int64_t last_container_ = 0;
  std::map<yarn::ContainerId, Known> containers_;
  std::map<yarn::AskKey, std::map<std::string, yarn::LocationAsk>> asks_;
  std::set<std::string> avoided_;
  std::set<std::string> tokens_sent_;
  std::int32_t response_id_ = 0;
  yarn::AllocateResponse last_;
  std::vector<yarn::ContainerStatus> ended_;  // to be told
  std::vector<yarn::Container> granted_;
  std::vector<yarn::NodeReport> changed_;
  std::vector<yarn::Container> found_again_;
  std::set<yarn::ContainerId> to_be_started_;
};

}  // namespace ydl::chaos

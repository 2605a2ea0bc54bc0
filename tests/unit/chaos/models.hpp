#pragma once

#include "core/ids.hpp"
#include "job/event_codec.hpp"
#include "job/types.hpp"
#include "simulation.hpp"
#include "yarn/records.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

// What the models of the simulation share: hosts and who reaches whom, HDFS, and the drawn job with its faults.
namespace ydl::chaos {

struct Host {
  std::string name;
  bool is_up = true;
  bool has_node_manager = true;
  // Cut off from these; processes of one host always reach each other.
  bool without_resource_manager = false;
  bool without_hdfs = false;
  bool without_peers = false;
};

// Which faults this run has, each in how many of a hundred cases or opportunities.
struct Faults {
  bool task_fails = false;
  bool task_killed = false;
  bool agent_killed = false;
  bool host_lost = false;
  bool preempted = false;
  bool node_manager_killed = false;
  bool master_killed = false;
  bool master_killed_between_actions = false;
  bool cut_off_from_resource_manager = false;
  bool cut_off_from_all = false;
  bool cut_off_from_peers = false;
  bool hdfs_away = false;
  bool calls_break = false;
  bool slow_network = false;
  bool time_jumps = false;
  bool start_fails = false;
  bool user_stops = false;
  Millis every = Seconds(10);  // one of them, on average
  Millis until = Seconds(100);
  Millis longest_task = Seconds(25);
};

// The part of HDFS that matters: journal files with the writer that holds the lease, master.json, revoked/.
struct Hdfs {
  struct File {
    std::string bytes;
    int writer = 0;  // the lease's holder; 0: closed
  };
  struct Endpoint {
    std::string host;
    int master = 0;  // its process; stands for address and port
    std::int64_t epoch = 0;
  };
  bool is_up = true;
  std::vector<File> journal;  // file N is at N - 1
  std::optional<Endpoint> endpoint;
  std::set<yarn::ContainerId> revoked;
  int last_writer = 0;
  // What the lines of journal files mean: encoding events is tested elsewhere.
  std::vector<job::TimedEvent> events;
};

inline std::string brief(const core::AttemptId& attempt) {
  return fmt::format("{}#{}", attempt.task.str(), attempt.attempt);
}

class Cluster;
class AgentModel;
class MasterModel;

// Everything of one run.
struct World {
  World(std::uint64_t seed, bool traces);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  Simulation sim;
  Faults faults;
  bool is_healed = false;
  job::Plan plan;
  Millis blind = Seconds(60);
  Millis resource_manager_silence = Seconds(30);  // until it takes a master or a NodeManager for lost
  std::vector<Host> hosts;
  Hdfs hdfs;
  std::unique_ptr<Cluster> cluster;
  std::map<yarn::ContainerId, std::shared_ptr<AgentModel>> agents;
  std::map<int, std::shared_ptr<MasterModel>> masters;  // by process

  // ---- what is checked
  std::map<core::TaskId, std::pair<core::AttemptId, yarn::ContainerId>> running;  // processes of tasks
  std::optional<job::Outcome> outcome;                                            // the first one that a master acts on
  std::map<std::string, std::uint64_t> avoided;                                   // hosts, and when, by action
  std::map<core::AttemptId, std::uint64_t> asked;                                 // when, by action
  std::uint64_t actions = 0;
  int processes_started = 0;

  [[nodiscard]] Host& host(const std::string& name) {
    for (auto& one : hosts) {
      if (one.name == name) return one;
    }
    std::abort();
  }
  [[nodiscard]] bool reaches_resource_manager(const std::string& name) {
    const auto& one = host(name);
    return one.is_up && !one.without_resource_manager;
  }
  [[nodiscard]] bool reaches_hdfs(const std::string& name) {
    const auto& one = host(name);
    return hdfs.is_up && one.is_up && !one.without_hdfs;
  }
  [[nodiscard]] bool reaches(const std::string& from, const std::string& to) {
    const auto& a = host(from);
    const auto& b = host(to);
    return a.is_up && b.is_up && (from == to || (!a.without_peers && !b.without_peers));
  }
  [[nodiscard]] bool faulty(bool kind, int one_in) { return kind && !is_healed && sim.chance(one_in); }

  void process_starts(const core::AttemptId& attempt, const yarn::ContainerId& container);
  void process_ends(const core::AttemptId& attempt, const yarn::ContainerId& container);
};

// A call to HDFS from a host: `act` is done there, or not; `done` is told whether it was. An answer may be lost.
void call_hdfs(World& world, const std::string& from, std::function<void()> act, std::function<void(bool)> done);

}  // namespace ydl::chaos

#pragma once

#include "core/ids.hpp"
#include "job/event_codec.hpp"
#include "job/types.hpp"
#include "simulation.hpp"
#include "without.hpp"
#include "yarn/records.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
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

// Which faults this run has.
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
  bool cut_off_from_hadoop = false;        // and not from each other
  bool cut_off_from_all_but_hdfs = false;  // so that agents read what no master can tell them
  bool links_cut = false;                  // from one host to another, one way
  bool agents_hang = false;
  bool masters_hang = false;
  bool ports_taken = false;
  bool resource_manager_restarts = false;
  bool hdfs_away = false;
  bool calls_break = false;
  bool slow_network = false;
  bool time_jumps = false;
  bool start_fails = false;
  bool user_stops = false;
  Millis every = Seconds(10);  // one of them, on average
  Millis until = Seconds(100);
  Millis longest = Seconds(30);  // of those that pass
  Millis longest_task = Seconds(25);
};

// The part of HDFS that matters: journal files with the writer that holds the lease, master.json, revoked/.
struct Hdfs {
  struct File {
    std::string bytes;
    int writer = 0;  // the lease's holder; 0: closed
    std::uint64_t lines = 0;
    bool was_read = false;  // by a later master
  };
  struct Endpoint {
    std::string host;
    int master = 0;  // its process; stands for address and port
    std::int64_t epoch = 0;
  };
  bool is_up = true;
  std::vector<File> journal;  // file N is at N - 1
  std::optional<Endpoint> endpoint;
  bool says_that_job_is_over = false;  // state.json; a master writes it before it removes its address
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
  World(std::uint64_t seed, bool traces, Without without);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  Simulation sim;
  Faults faults;
  Without without;
  int faults_drawn = 0;
  bool is_healed = false;
  job::Plan plan;
  Millis blind = Seconds(60);
  Millis resource_manager_silence = Seconds(30);  // until it takes a master or a NodeManager for lost
  std::vector<Host> hosts;
  std::set<std::pair<std::string, std::string>> cut_links;  // from, to
  bool resource_manager_is_up = true;
  Hdfs hdfs;
  std::unique_ptr<Cluster> cluster;
  std::map<yarn::ContainerId, std::shared_ptr<AgentModel>> agents;
  std::map<int, std::shared_ptr<MasterModel>> masters;  // by process

  // ---- what is checked
  std::map<core::TaskId, std::pair<core::AttemptId, yarn::ContainerId>> running;  // processes of tasks
  std::optional<job::Outcome> outcome;                                            // the first one that a master acts on
  int processes_started = 0;
  bool names_a_master = false;  // its address is there after the end of the job: agents wait for it

  [[nodiscard]] Host& host(const std::string& name) {
    for (auto& one : hosts) {
      if (one.name == name) return one;
    }
    std::abort();
  }
  [[nodiscard]] bool reaches_resource_manager(const std::string& name) {
    const auto& one = host(name);
    return resource_manager_is_up && one.is_up && !one.without_resource_manager;
  }
  [[nodiscard]] bool reaches_hdfs(const std::string& name) {
    const auto& one = host(name);
    return hdfs.is_up && one.is_up && !one.without_hdfs;
  }
  [[nodiscard]] bool reaches(const std::string& from, const std::string& to) {
    const auto& a = host(from);
    const auto& b = host(to);
    return a.is_up && b.is_up &&
           (from == to || (!a.without_peers && !b.without_peers && !cut_links.contains({from, to})));
  }
  // Whether a fault of this kind happens here.
  [[nodiscard]] bool faulty(bool Faults::* kind, int one_in) {
    return faults.*kind && !is_healed && sim.chance(one_in) && takes_place(kind);
  }
  // Faults are numbered as they are drawn, so that those which do not matter can be left out.
  [[nodiscard]] bool takes_place(bool Faults::* kind);

  void process_starts(const core::AttemptId& attempt, const yarn::ContainerId& container);
  void process_ends(const core::AttemptId& attempt, const yarn::ContainerId& container);
};

// A process on a host.
struct Caller {
  std::string host;
  Owner owner = nullptr;
};
// A call to HDFS: `act` is done there, or not; `done` is told whether it was. An answer may be lost.
void call_hdfs(World& world, const Caller& from, std::function<void()> act, std::function<void(bool)> done);

}  // namespace ydl::chaos

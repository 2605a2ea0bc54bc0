#include "cluster.hpp"

#include "agent_model.hpp"
#include "hrpc/errors.hpp"
#include "master_model.hpp"

#include <algorithm>

namespace ydl::chaos {
namespace {

constexpr int kSlots = 4;  // of a host
constexpr Millis kHeartbeat{1'000};

core::Error thrown(const std::string& name, const std::string& message = "") {
  return {make_error_code(core::Errc::io), name,
          core::RemoteException{"org.apache.hadoop.yarn.exceptions." + name, message}};
}

}  // namespace

Cluster::Cluster(World& world) : world_(world) {
  for (const auto& host : world.hosts) nodes_[host.name].heard = world.sim.now();
}

void Cluster::start() {
  for (const auto& host : world_.hosts) {
    world_.sim.after(world_.sim.between(Millis(0), kHeartbeat), [this, name = host.name] { heartbeat(name); });
  }
  watch();
  launch_master();
}

// ---- masters ---------------------------------------------------------------------------------------------------

void Cluster::launch_master() {
  std::vector<std::string> candidates;
  for (const auto& host : world_.hosts) {
    if (host.is_up && host.has_node_manager && !host.without_resource_manager && !nodes_[host.name].is_lost)
      candidates.push_back(host.name);
  }
  if (candidates.empty()) return world_.sim.after(Seconds(1), [this] { launch_master(); });
  ++attempt_;
  has_attempt_ = true;
  registered_ = false;
  master_heard_ = world_.sim.now();
  master_host_ = candidates[static_cast<std::size_t>(world_.sim.roll(std::ssize(candidates)))];
  response_id_ = 0;
  tokens_sent_.clear();
  world_.sim.note("rm: starts master {} on {}", attempt_, master_host_);
  auto master = std::make_shared<MasterModel>(world_, attempt_, master_host_);
  world_.masters[attempt_] = master;
  world_.sim.after(world_.sim.between(Millis(300), Millis(3'000)), [master] { master->start(); });
}

void Cluster::attempt_ended(const std::string& why) {
  if (!has_attempt_ || over_) return;
  world_.sim.note("rm: attempt {} has ended: {}", attempt_, why);
  has_attempt_ = false;
  nodes_[master_host_].masters_to_kill.insert(attempt_);
  asks_.clear();
  granted_.clear();
  for (auto& [id, known] : containers_) {
    if (known.phase != Phase::completed && known.phase != Phase::running)
      complete(id, -100, "Container of a completed application");
  }
  world_.sim.after(world_.sim.between(Millis(500), Millis(5'000)), [this] { launch_master(); });
}

void Cluster::master_exited(int attempt) {
  // Its NodeManager tells so with its next heartbeat.
  world_.sim.after(world_.sim.between(Millis(100), kHeartbeat), [this, attempt] {
    const auto& host = world_.host(master_host_);
    if (attempt != attempt_ || !has_attempt_) return;
    if (host.is_up && host.has_node_manager && !host.without_resource_manager) attempt_ended("its master exited");
  });
}

core::Result<yarn::Registration> Cluster::register_master(int attempt) {
  if (over_ || attempt != attempt_ || !has_attempt_)
    return core::fail(thrown("ApplicationAttemptNotFoundException", "gone"));
  if (registered_)
    return core::fail(thrown("InvalidApplicationMasterRequestException", "Application Master is already registered"));
  registered_ = true;
  master_heard_ = world_.sim.now();
  found_again_.clear();
  yarn::Registration registration;
  for (const auto& [id, known] : containers_) {
    if (known.phase != Phase::running || known.is_forgotten) continue;
    registration.from_previous_attempts.push_back(known.container);
    if (tokens_sent_.insert(known.container.node.host).second)
      registration.nm_tokens.push_back({known.container.node, {"token", "", "NMToken", ""}});
  }
  return registration;
}

core::Result<yarn::AllocateResponse> Cluster::allocate(int attempt, const yarn::AllocateRequest& request) {
  if (over_ || attempt != attempt_ || !has_attempt_)
    return core::fail(thrown("ApplicationAttemptNotFoundException", "gone"));
  if (!registered_) return core::fail(thrown("ApplicationMasterNotRegisteredException"));
  master_heard_ = world_.sim.now();
  if (request.response_id == response_id_ - 1) return last_;
  for (const auto& container : last_.granted) containers_.at(container.id).taken = world_.sim.now();
  for (const auto& ask : request.asks) asks_[ask.key][ask.location] = ask;
  for (const auto& host : request.avoid) avoided_.insert(host);
  for (const auto& host : request.forgive) avoided_.erase(host);
  for (const auto& id : request.releases) complete(id, -100, "Container released by application");
  last_ = {};
  last_.response_id = ++response_id_;
  last_.completed = std::exchange(ended_, {});
  last_.granted = std::exchange(granted_, {});
  last_.changed_nodes = std::exchange(changed_, {});
  last_.from_previous_attempts = std::exchange(found_again_, {});
  for (const auto& container : last_.granted) {
    auto& known = containers_.at(container.id);
    if (known.phase == Phase::granted) known.phase = Phase::acquired;
    if (tokens_sent_.insert(container.node.host).second)
      last_.nm_tokens.push_back({container.node, {"token", "", "NMToken", ""}});
  }
  return last_;
}

core::Result<> Cluster::finish(int attempt) {
  if (over_ || attempt != attempt_ || !has_attempt_)
    return core::fail(thrown("ApplicationAttemptNotFoundException", "gone"));
  world_.sim.note("rm: the application is finished");
  over_ = true;
  return {};
}

// ---- containers ------------------------------------------------------------------------------------------------

// The word of the ResourceManager: the process may live on.
void Cluster::complete(const yarn::ContainerId& id, int exit_status, const std::string& text) {
  const auto found = containers_.find(id);
  if (found == containers_.end() || found->second.phase == Phase::completed) return;
  found->second.phase = Phase::completed;
  world_.sim.note("rm: container {} completed with {} ({})", id.id, exit_status, text);
  ended_.push_back({id, yarn::ContainerState::complete, exit_status, text, {}});
  std::erase_if(granted_, [&](const yarn::Container& one) { return one.id == id; });
  nodes_[found->second.container.node.host].to_kill.insert(id);
}

int Cluster::used(const std::string& host) const {
  int used = 0;
  for (const auto& [id, known] : containers_) {
    if (known.container.node.host == host && known.phase != Phase::completed) ++used;
  }
  return used;
}

std::optional<yarn::AskKey> Cluster::wanted_on(const std::string& host) const {
  for (const auto& [key, places] : asks_) {
    const auto anywhere = places.find(std::string(yarn::kAnywhere));
    if (anywhere == places.end() || anywhere->second.count <= 0) continue;
    const auto here = places.find(host);
    if ((here != places.end() && here->second.count > 0) || anywhere->second.relax_locality) return key;
    for (const auto& [place, ask] : places) {
      if (place.starts_with('/') && ask.count > 0 && ask.relax_locality) return key;
    }
  }
  return std::nullopt;
}

void Cluster::take_ask(const yarn::AskKey& key, const std::string& host) {
  for (auto& [place, ask] : asks_[key]) {
    if ((place == host || place == yarn::kAnywhere || place.starts_with('/')) && ask.count > 0) --ask.count;
  }
}

void Cluster::schedule(const std::string& host) {
  if (!has_attempt_ || !registered_ || over_ || avoided_.contains(host)) return;
  while (used(host) < kSlots) {
    const auto key = wanted_on(host);
    if (!key) return;
    take_ask(*key, host);
    const yarn::ContainerId id{{{1700000000000, 1}, attempt_}, ++last_container_};
    const yarn::Container container{.id = id,
                                    .node = {host, 8041},
                                    .node_http_address = host + ":8042",
                                    .resource = {.memory_mib = 2048, .vcores = 1},
                                    .key = *key};
    containers_[id] = {container, Phase::granted};
    granted_.push_back(container);
    if (world_.sim.chance(3)) return;  // the next one with a later heartbeat
  }
}

// ---- NodeManagers ----------------------------------------------------------------------------------------------

void Cluster::heartbeat(const std::string& host) {
  world_.sim.after(kHeartbeat, [this, host] { heartbeat(host); });
  auto& node = nodes_[host];
  const auto& machine = world_.host(host);
  if (!machine.has_node_manager || !world_.reaches_resource_manager(host)) return;
  node.heard = world_.sim.now();
  if (std::exchange(node.registers, false)) lose_node(host);
  if (std::exchange(node.is_lost, false)) {
    changed_.push_back({.id = {host, 8041}, .capability = {.memory_mib = 2048 * kSlots, .vcores = kSlots}});
  }
  for (const auto& [id, exit_status] : node.containers) {
    const auto known = containers_.find(id);
    if (known == containers_.end()) continue;
    if (std::exchange(known->second.is_forgotten, false) && !exit_status && known->second.phase == Phase::running)
      found_again_.push_back(known->second.container);
    if (!exit_status) {
      if (known->second.phase == Phase::acquired || known->second.phase == Phase::granted)
        known->second.phase = Phase::running;
    } else if (node.reported.insert(id).second) {
      complete(id, *exit_status, "");
    }
  }
  const auto to_kill = std::exchange(node.to_kill, {});
  for (const auto& id : to_kill) kill_container(host, id, -106);
  for (const int master : std::exchange(node.masters_to_kill, {})) {
    if (!world_.masters.at(master)->is_orphan) world_.masters.at(master)->kill("its NodeManager");
  }
  if (over_) {
    const auto all = node.containers;
    for (const auto& [id, exit_status] : all) kill_container(host, id, -107);
  }
  schedule(host);
}

void Cluster::lose_node(const std::string& host) {
  for (auto& [id, known] : containers_) {
    if (known.container.node.host == host) complete(id, -100, "Container released on a *lost* node");
  }
  if (has_attempt_ && master_host_ == host) attempt_ended("its node is lost");
}

// A grant is started or given back: else the job holds what it does not use.
void Cluster::check_grants() {
  constexpr Millis kLongest = Seconds(60);
  if (!world_.masters.at(attempt_)->is_alive() || world_.sim.stands_still(world_.masters.at(attempt_).get())) return;
  for (const auto& [id, known] : containers_) {
    const bool is_held = known.phase == Phase::acquired && !to_be_started_.contains(id);
    if (is_held && known.taken && master_heard_ - *known.taken > kLongest)
      world_.sim.fail(fmt::format("container {} was granted, and neither started nor released", id.id));
  }
}

void Cluster::watch() {
  world_.sim.after(Seconds(1), [this] { watch(); });
  if (!world_.resource_manager_is_up) return;
  const auto now = world_.sim.now();
  if (has_attempt_ && registered_) check_grants();
  for (auto& [host, node] : nodes_) {
    if (node.is_lost || now - node.heard < world_.resource_manager_silence) continue;
    node.is_lost = true;
    world_.sim.note("rm: {} is lost", host);
    changed_.push_back({.id = {host, 8041}, .state = yarn::NodeState::lost});
    lose_node(host);
  }
  if (has_attempt_ && now - master_heard_ > world_.resource_manager_silence + Seconds(5))
    attempt_ended("its master is silent");
}

bool Cluster::start_container(const yarn::Container& container, int master) {
  const auto& host = container.node.host;
  auto& node = nodes_[host];
  if (over_ || node.containers.contains(container.id) || node.to_kill.contains(container.id)) return false;
  const auto known = containers_.find(container.id);
  if (known == containers_.end() || known->second.phase == Phase::completed) return false;
  node.containers[container.id] = std::nullopt;
  world_.sim.after(world_.sim.between(Millis(200), Millis(3'000)), [this, container, host, master] {
    const auto& machine = world_.host(host);
    auto& here = nodes_[host];
    const auto found = here.containers.find(container.id);
    if (!machine.is_up || !machine.has_node_manager || found == here.containers.end() || found->second) return;
    auto agent = std::make_shared<AgentModel>(world_, container.id, host, master);
    world_.agents[container.id] = agent;
    agent->start();
  });
  return true;
}

void Cluster::kill_container(const std::string& host, const yarn::ContainerId& id, int exit_status) {
  auto& node = nodes_[host];
  const auto found = node.containers.find(id);
  if (found == node.containers.end() || found->second) return;
  const auto end = [this, host, id, exit_status] {
    auto& here = nodes_[host];
    const auto still = here.containers.find(id);
    if (still == here.containers.end() || still->second || !world_.host(host).is_up) return;
    if (const auto agent = world_.agents.find(id); agent != world_.agents.end()) agent->second->kill("its NodeManager");
    still->second = exit_status;
  };
  world_.sim.after(world_.sim.between(Millis(10), Millis(600)), end);
}

void Cluster::stop_container(const std::string& host, const yarn::ContainerId& id) {
  kill_container(host, id, -105);
}

Cluster::Seen Cluster::look_at(const std::string& host, const yarn::ContainerId& id) {
  const auto& containers = nodes_[host].containers;
  const auto found = containers.find(id);
  if (found == containers.end()) return Seen::unknown;
  return found->second ? Seen::complete : Seen::running;
}

void Cluster::container_exited(const yarn::ContainerId& id, int exit_status) {
  for (auto& [host, node] : nodes_) {
    const auto found = node.containers.find(id);
    if (found != node.containers.end() && !found->second && world_.host(host).has_node_manager)
      found->second = exit_status;
  }
}

// ---- faults ----------------------------------------------------------------------------------------------------

void Cluster::stop_resource_manager() {
  if (!world_.resource_manager_is_up) return;
  world_.sim.note("the ResourceManager is down");
  world_.resource_manager_is_up = false;
}

void Cluster::restart_resource_manager() {
  if (std::exchange(world_.resource_manager_is_up, true)) return;
  world_.sim.note("the ResourceManager is up again");
  registered_ = false;
  response_id_ = 0;
  asks_.clear();
  avoided_.clear();
  tokens_sent_.clear();
  granted_.clear();
  master_heard_ = world_.sim.now();
  for (auto& [host, node] : nodes_) node.heard = world_.sim.now();
  for (auto& [id, known] : containers_) {
    if (known.phase == Phase::granted || known.phase == Phase::acquired)
      known.phase = Phase::completed;  // silently, unless its NodeManager has it
    known.is_forgotten = known.phase == Phase::running;
  }
}

void Cluster::lose_host(const std::string& host) {
  world_.sim.note("fault: {} loses its power", host);
  world_.host(host).is_up = false;
  for (const auto& [id, agent] : world_.agents) {
    if (agent->host() == host) agent->kill("its host");
  }
  for (const auto& [number, master] : world_.masters) {
    if (master->host() == host) master->kill("its host");
  }
  nodes_[host].containers.clear();
}

void Cluster::restore_host(const std::string& host) {
  auto& machine = world_.host(host);
  if (machine.is_up) return;
  machine.is_up = machine.has_node_manager = true;
  nodes_[host].registers = true;
  world_.sim.note("{} is up again", host);
}

void Cluster::kill_node_manager(const std::string& host) {
  world_.sim.note("fault: the NodeManager of {} is killed", host);
  world_.host(host).has_node_manager = false;
}

void Cluster::restart_node_manager(const std::string& host, Restart kind) {
  auto& machine = world_.host(host);
  if (!machine.is_up || machine.has_node_manager) return;
  machine.has_node_manager = true;
  auto& node = nodes_[host];
  world_.sim.note("the NodeManager of {} is back, {}", host,
                  kind == Restart::forgetful ? "without its containers" : "with its containers");
  if (kind == Restart::forgetful) {
    node.containers.clear();
    node.registers = true;
    for (const auto& [number, master] : world_.masters) {
      if (master->host() == host) master->is_orphan = true;
    }
    return;
  }
  for (auto& [id, exit_status] : node.containers) {
    const auto agent = world_.agents.find(id);
    if (!exit_status && (agent == world_.agents.end() || !agent->second->is_alive())) exit_status = 154;
  }
  // Masters are containers, too.
  if (has_attempt_ && master_host_ == host && !world_.masters.at(attempt_)->is_alive()) master_exited(attempt_);
}

void Cluster::preempt_one() {
  std::vector<yarn::ContainerId> running;
  for (const auto& [id, known] : containers_) {
    if (known.phase == Phase::running) running.push_back(id);
  }
  if (running.empty()) return;
  const auto id = running[static_cast<std::size_t>(world_.sim.roll(std::ssize(running)))];
  world_.sim.note("fault: container {} is preempted", id.id);
  complete(id, -102, "Container preempted by scheduler");
}

}  // namespace ydl::chaos

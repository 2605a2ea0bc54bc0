// Draws the job, the cluster and the faults of a seed, runs them, and says whether the promises were kept.
#include "world.hpp"

#include "agent_model.hpp"
#include "cluster.hpp"
#include "core/strings.hpp"
#include "master_model.hpp"
#include "models.hpp"

#include <algorithm>
#include <array>
#include <random>

namespace ydl::chaos {

World::World(std::uint64_t seed, bool traces, Without left_out) : sim(seed, traces), without(std::move(left_out)) {}
World::~World() = default;

// ---- what is checked -------------------------------------------------------------------------------------------

void World::process_starts(const core::AttemptId& attempt, const yarn::ContainerId& container) {
  sim.note("process of {} starts in container {}", brief(attempt), container.id);
  ++processes_started;
  if (const auto other = running.find(attempt.task); other != running.end()) {
    sim.fail(fmt::format("{} runs in container {} while {} runs in container {}", brief(attempt), container.id,
                         brief(other->second.first), other->second.second.id));
  }
  running[attempt.task] = {attempt, container};
}

void World::process_ends(const core::AttemptId& attempt, const yarn::ContainerId& container) {
  const auto found = running.find(attempt.task);
  if (found == running.end() || found->second != std::pair{attempt, container}) return;
  sim.note("process of {} has ended in container {}", brief(attempt), container.id);
  running.erase(found);
}

// The NameNode is asked again for a while; an answer may be lost.
void call_hdfs(World& world, const Caller& from, std::function<void()> act, std::function<void(bool)> done) {
  world.sim.after(world.sim.latency(), [&world, from, act = std::move(act), done = std::move(done)] {
    if (!world.reaches_hdfs(from.host)) {
      world.sim.after(world.sim.between(Seconds(1), Seconds(10)), [done] { done(false); }, from.owner);
      return;
    }
    act();
    const bool breaks = world.faulty(&Faults::calls_break, 100);
    const auto answer = [&world, from, done, breaks] { done(!breaks && world.reaches_hdfs(from.host)); };
    world.sim.after(world.sim.latency(), answer, from.owner);
  });
}

namespace {

enum class When { from_time_to_time, when_it_can };
struct FaultKind {
  bool Faults::* flag;
  const char* name;
  When when = When::from_time_to_time;
};
constexpr std::array<FaultKind, kFaultKinds> kKinds{{
    {&Faults::task_fails, "tasks fail", When::when_it_can},
    {&Faults::task_killed, "tasks are killed"},
    {&Faults::agent_killed, "agents are killed"},
    {&Faults::host_lost, "hosts are lost"},
    {&Faults::preempted, "preemption"},
    {&Faults::node_manager_killed, "NodeManagers are killed"},
    {&Faults::master_killed, "masters are killed"},
    {&Faults::master_killed_between_actions, "masters are killed between actions", When::when_it_can},
    {&Faults::cut_off_from_resource_manager, "hosts cut off from the ResourceManager"},
    {&Faults::cut_off_from_all, "hosts cut off"},
    {&Faults::cut_off_from_peers, "hosts cut off from each other"},
    {&Faults::hdfs_away, "HDFS away"},
    {&Faults::calls_break, "calls break", When::when_it_can},
    {&Faults::slow_network, "slow network", When::when_it_can},
    {&Faults::time_jumps, "time jumps"},
    {&Faults::start_fails, "starts fail", When::when_it_can},
    {&Faults::user_stops, "the user stops the job"},
    {&Faults::cut_off_from_hadoop, "hosts cut off from Hadoop"},
    {&Faults::cut_off_from_all_but_hdfs, "hosts cut off from all but HDFS"},
    {&Faults::links_cut, "links cut one way"},
    {&Faults::agents_hang, "agents hang"},
    {&Faults::masters_hang, "masters hang"},
    {&Faults::ports_taken, "ports are taken", When::when_it_can},
    {&Faults::resource_manager_restarts, "the ResourceManager restarts"},
}};

}  // namespace

bool World::takes_place(bool Faults::* kind) {
  const int number = ++faults_drawn;
  if (without.contains(number)) return false;
  sim.note("fault {}: {}", number, std::ranges::find(kKinds, kind, &FaultKind::flag)->name);
  return true;
}

namespace {

job::Plan draw_plan(Simulation& sim) {
  using core::RestartUnit;
  job::Plan plan;
  plan.roles = {{"worker", static_cast<int>(1 + sim.roll(4)), core::RoleKind::decider,
                 static_cast<RestartUnit>(sim.roll(3)), static_cast<int>(sim.roll(3))}};
  if (sim.chance(3))
    plan.roles.push_back({"ps", static_cast<int>(1 + sim.roll(2)), core::RoleKind::service, RestartUnit::task,
                          static_cast<int>(sim.roll(2))});
  if (sim.chance(5)) plan.roles.push_back({"evaluator", 1, core::RoleKind::evaluator, RestartUnit::task, 0});
  plan.job_retries = static_cast<int>(sim.roll(2));
  plan.blacklist.mode = static_cast<job::Blacklist::Mode>(sim.roll(3));
  plan.fail_fast = sim.chance(2);
  plan.rendezvous_in_master = sim.chance(8);
  plan.allocation_timeout = Seconds(60);
  plan.evaluator_grace = Seconds(60);
  return plan;
}

// A third of the jobs may lose and gain workers, more than the hosts have room for. Not drawn from the simulation,
// whose other stories stay as they are.
void make_elastic(job::Plan& plan, std::uint64_t seed) {
  if (seed % 3 != 0) return;
  std::minstd_rand draw(static_cast<unsigned>(seed));
  auto& workers = plan.roles.front();
  workers.least = workers.count;
  workers.count += static_cast<int>(1 + draw() % 12);
  if (workers.restart == core::RestartUnit::task_in_place) workers.restart = core::RestartUnit::gang;
  plan.grow_every = Seconds(5 + draw() % 60);
}

void draw_faults(World& world) {
  auto& sim = world.sim;
  const int one_in = static_cast<int>(2 + sim.roll(6));  // with few kinds of faults, long ones show what they do
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    const bool is_rare = kKinds.at(i).flag == &Faults::user_stops || kKinds.at(i).flag == &Faults::slow_network;
    const bool is_on = sim.chance(is_rare ? 10 : one_in);
    world.faults.*kKinds.at(i).flag = is_on && ((world.without.kinds >> i) & 1U) == 0;
  }
  world.faults.every = sim.between(Seconds(1), sim.chance(3) ? Seconds(60) : Seconds(12));
  world.faults.until = sim.between(Seconds(10), sim.chance(3) ? Seconds(1200) : Seconds(300));
  world.faults.longest = sim.chance(3) ? Seconds(600) : Seconds(sim.chance(2) ? 150 : 30);
  world.faults.longest_task = sim.between(Seconds(1), sim.chance(3) ? Seconds(900) : Seconds(90));
  world.blind = sim.between(Seconds(20), Seconds(300));
  world.resource_manager_silence = sim.between(Seconds(12), Seconds(100));
}

std::string describe(const World& world) {
  constexpr std::array<const char*, 3> kUnits{"task", "task_in_place", "gang"};
  std::string text = fmt::format("{} hosts, blind {} s, the ResourceManager's patience {} s", world.hosts.size(),
                                 world.blind.count() / 1000, world.resource_manager_silence.count() / 1000);
  for (const auto& role : world.plan.roles)
    text += fmt::format(", {}{} {} ({}, {} retries)", role.is_elastic() ? fmt::format("{} to ", role.least) : "",
                        role.count, role.name, kUnits.at(static_cast<std::size_t>(role.restart)), role.retries);
  text += fmt::format(", blacklist {}{}, faults until {} s every {} s:", core::name(world.plan.blacklist.mode),
                      world.plan.rendezvous_in_master ? ", rendezvous in the master" : "",
                      world.faults.until.count() / 1000, world.faults.every.count() / 1000);
  for (const auto& kind : kKinds) {
    if (world.faults.*kind.flag) text += fmt::format(" {};", kind.name);
  }
  return text;
}

// ---- faults ----------------------------------------------------------------------------------------------------

constexpr Millis kJavaStarts = Seconds(4);

class Trouble {
 public:
  explicit Trouble(World& world) : world_(world) {}

  void begin() {
    world_.sim.slow_network = world_.faults.slow_network;
    next();
  }

  void heal() {
    world_.sim.note("all faults are healed");
    world_.is_healed = true;
    world_.hdfs.is_up = true;
    world_.sim.slow_network = false;
    world_.cut_links.clear();
    world_.sim.all_go_on();
    world_.cluster->restart_resource_manager();
    for (auto& host : world_.hosts) {
      host.without_hdfs = host.without_peers = host.without_resource_manager = false;
      world_.cluster->restore_host(host.name);
      world_.cluster->restart_node_manager(host.name, restart_kind());
    }
  }

 private:
  void next() {
    world_.sim.after(world_.sim.between(Millis(0), world_.faults.every * 2), [this] {
      if (world_.is_healed) return;
      one_fault();
      next();
    });
  }

  Cluster::Restart restart_kind() {
    return world_.sim.chance(2) ? Cluster::Restart::forgetful : Cluster::Restart::recovering;
  }
  Host& any_host() { return world_.hosts[static_cast<std::size_t>(world_.sim.roll(std::ssize(world_.hosts)))]; }
  std::shared_ptr<AgentModel> any_agent() {
    std::vector<std::shared_ptr<AgentModel>> alive;
    for (const auto& [id, agent] : world_.agents) {
      if (agent->is_alive()) alive.push_back(agent);
    }
    return alive.empty() ? nullptr : alive[static_cast<std::size_t>(world_.sim.roll(std::ssize(alive)))];
  }
  Millis some_time() { return world_.sim.between(Seconds(1), world_.faults.longest); }
  template <class What>
  void later(What what, Millis at_least = Millis(0)) {
    world_.sim.after(std::max(some_time(), at_least), [this, what] {
      if (!world_.is_healed) what();
    });
  }

  void cut(Host& host, std::initializer_list<bool Host::*> from, const char* what) {
    world_.sim.note("fault: {} is cut off from {}", host.name, what);
    for (const auto flag : from) host.*flag = true;
    later([this, name = host.name, flags = std::vector(from)] {
      world_.sim.note("{} is connected again", name);
      for (const auto flag : flags) world_.host(name).*flag = false;
    });
  }

  void cut_link(std::string from, std::string to) {
    if (world_.sim.chance(2)) std::swap(from, to);
    if (from == to || !world_.cut_links.emplace(from, to).second) return;
    world_.sim.note("fault: nothing gets from {} to {}", from, to);
    later([this, from, to] { world_.cut_links.erase({from, to}); });
  }

  void hang_a_master() {
    for (const auto& [number, master] : world_.masters) {
      if (!master->is_alive() || world_.sim.chance(2)) continue;
      const auto time = some_time();
      world_.sim.note("fault: master {} stands still for {} s", number, time.count() / 1000);
      return world_.sim.stand_still(master.get(), time);
    }
  }

  // The host of a master, more often than others.
  Host& interesting_host() {
    for (const auto& [number, master] : world_.masters) {
      if (master->is_alive() && world_.sim.chance(2)) return world_.host(master->host());
    }
    return any_host();
  }

  void one_fault() {
    std::vector<std::size_t> on;
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      if (world_.faults.*kKinds.at(i).flag && kKinds.at(i).when == When::from_time_to_time) on.push_back(i);
    }
    if (on.empty()) return;
    const auto flag = kKinds.at(on[static_cast<std::size_t>(world_.sim.roll(std::ssize(on)))]).flag;
    if (!world_.takes_place(flag)) return;
    auto& cluster = *world_.cluster;
    if (flag == &Faults::task_killed) {
      if (const auto agent = any_agent()) agent->kill_a_task();
    } else if (flag == &Faults::agent_killed) {
      if (const auto agent = any_agent()) {
        agent->kill("a fault");
        cluster.container_exited(agent->id(), 137);
      }
    } else if (flag == &Faults::host_lost) {
      const auto name = any_host().name;
      if (!world_.host(name).is_up) return;
      cluster.lose_host(name);
      if (!world_.sim.chance(3)) later([&cluster, name] { cluster.restore_host(name); });
    } else if (flag == &Faults::preempted) {
      cluster.preempt_one();
    } else if (flag == &Faults::node_manager_killed) {
      const auto name = any_host().name;
      if (!world_.host(name).is_up || !world_.host(name).has_node_manager) return;
      cluster.kill_node_manager(name);
      later([this, &cluster, name] { cluster.restart_node_manager(name, restart_kind()); }, kJavaStarts);
    } else if (flag == &Faults::master_killed) {
      for (const auto& [number, master] : world_.masters) {
        if (master->is_alive() && world_.sim.chance(2)) return master->kill("a fault");
      }
    } else if (flag == &Faults::cut_off_from_resource_manager) {
      cut(interesting_host(), {&Host::without_resource_manager}, "the ResourceManager");
    } else if (flag == &Faults::cut_off_from_all) {
      cut(interesting_host(), {&Host::without_resource_manager, &Host::without_hdfs, &Host::without_peers}, "all");
    } else if (flag == &Faults::cut_off_from_peers) {
      cut(interesting_host(), {&Host::without_peers}, "other hosts");
    } else if (flag == &Faults::cut_off_from_hadoop) {
      cut(interesting_host(), {&Host::without_hdfs, &Host::without_resource_manager}, "Hadoop");
    } else if (flag == &Faults::cut_off_from_all_but_hdfs) {
      cut(interesting_host(), {&Host::without_peers, &Host::without_resource_manager}, "all but HDFS");
    } else if (flag == &Faults::links_cut) {
      cut_link(interesting_host().name, any_host().name);
    } else if (flag == &Faults::agents_hang) {
      if (const auto agent = any_agent()) agent->hang(some_time());
    } else if (flag == &Faults::masters_hang) {
      hang_a_master();
    } else if (flag == &Faults::resource_manager_restarts) {
      cluster.stop_resource_manager();
      later([&cluster] { cluster.restart_resource_manager(); });
    } else if (flag == &Faults::hdfs_away) {
      world_.sim.note("fault: HDFS is away");
      world_.hdfs.is_up = false;
      later([this] { world_.hdfs.is_up = true; });
    } else if (flag == &Faults::time_jumps) {
      world_.sim.note("fault: time jumps");
      world_.sim.jump(some_time());
    } else if (flag == &Faults::user_stops) {
      for (const auto& [number, master] : world_.masters) {
        if (master->is_serving() && world_.sim.chance(3)) master->stop_job();
      }
    }
  }

  World& world_;
};

void check_agents(World& world) {
  for (const auto& [task, where] : world.running)
    world.sim.fail(fmt::format("{} runs after the end of the job", brief(where.first)));
  for (const auto& [id, agent] : world.agents) {
    if (agent->is_alive()) world.sim.fail(fmt::format("agent {} runs after the end of the job", id.id));
  }
}

// Until everything has ended, or a promise is broken.
void run(World& world, Trouble& trouble) {
  constexpr Millis kEnd = std::chrono::minutes(90);  // after all faults
  constexpr Millis kAfterwards = Seconds(150);       // an agent that hears no master looks for a minute
  auto& sim = world.sim;
  const auto heal_at = sim.now() + world.faults.until;
  while (sim.violation().empty() && !world.cluster->is_over() && sim.now() < heal_at) {
    if (!sim.step(heal_at)) break;
  }
  if (!sim.violation().empty()) return;
  trouble.heal();
  const auto end = sim.now() + kEnd;
  while (sim.violation().empty() && !world.cluster->is_over()) {
    if (!sim.step(end)) return sim.fail("the job does not end");
  }
  const auto over = sim.now();
  while (sim.violation().empty() && sim.step(over + kAfterwards)) {
  }
  if (!sim.violation().empty()) return;
  if (!world.outcome) sim.fail("the application ended without an outcome of the job");
  if (!world.names_a_master) check_agents(world);
  for (const auto& [number, master] : world.masters) {
    if (master->is_alive()) sim.fail(fmt::format("master {} runs after the end of the job", number));
  }
}

}  // namespace

Story run_story(std::uint64_t seed, Trace trace, const Without& without) {
  World world(seed, trace != Trace::none, without);
  world.sim.keeps_all = trace == Trace::all;
  world.plan = draw_plan(world.sim);
  make_elastic(world.plan, seed);
  const auto hosts = 2 + world.sim.roll(3);
  for (std::int64_t i = 1; i <= hosts; ++i) world.hosts.push_back({.name = fmt::format("node{}", i)});
  draw_faults(world);
  world.cluster = std::make_unique<Cluster>(world);
  world.cluster->start();
  Trouble trouble(world);
  trouble.begin();
  run(world, trouble);
  Story story{.violation = world.sim.violation(),
              .trace = {},
              .settings = describe(world),
              .processes = world.processes_started,
              .masters = world.cluster->attempt(),
              .faults = world.faults_drawn,
              .steps = world.sim.steps(),
              .simulated_seconds = std::chrono::duration_cast<Seconds>(world.sim.now().time_since_epoch()).count()};
  for (const auto& line : world.sim.trace()) story.trace += line + "\n";
  return story;
}

}  // namespace ydl::chaos

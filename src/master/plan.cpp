#include "master/plan.hpp"

#include "core/assert.hpp"
#include "core/strings.hpp"
#include "core/user.hpp"
#include "master/rendezvous.hpp"
#include "spec/rules.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::master {
namespace {

namespace fs = std::filesystem;
using core::Errc;
using core::fail;
using core::Result;

constexpr std::uint64_t kMiB = 1ULL << 20U;
constexpr std::uint64_t kWorkerMemory = 2048 * kMiB;
constexpr std::uint64_t kServerMemory = 1024 * kMiB;
constexpr int kPortsOfSide = 1;  // of a task beside the framework, as without one

// A role beside the framework, which neither counts nor connects its tasks: TensorBoard, a monitor.
bool is_beside(const framework::Framework& framework, const spec::Role& role) {
  return role.kind == core::name(core::RoleKind::side) && !framework::has_role(framework, role.name);
}

// Whether the tasks of a role compute. Workers do even if they are services, as with a TensorFlow chief.
std::uint64_t default_memory(const framework::Framework& framework, std::string_view role, core::RoleKind kind) {
  return kind == core::RoleKind::service && role != framework.main_role() ? kServerMemory : kWorkerMemory;
}

bool is_script(std::string_view word) {
  return word.ends_with(".py");
}

bool is_python(std::string_view word) {
  return word == "python" || word == "python3";
}

struct Command {
  std::vector<std::string> argv;
  std::string interpreter_note;
};

// A leading `python` is optional; --python overrides it.
Result<Command> resolve_command(std::vector<std::string> argv, const spec::JobSpec& spec,
                                const FindCommand& find_command) {
  const bool named = is_python(argv.front());
  const std::string typed = named ? argv.front() : "python";
  if (!named && !is_script(argv.front())) return Command{std::move(argv), {}};
  if (named) argv.erase(argv.begin());
  if (spec.python_env) {  // only in a dry run; otherwise the interpreter was inserted before
    argv.insert(argv.begin(), "python");
    return Command{std::move(argv), fmt::format("the Python of {}, the job's environment", *spec.python_env)};
  }
  if (spec.python) {
    argv.insert(argv.begin(), *spec.python);
    return Command{std::move(argv), fmt::format("{}, from --python", *spec.python)};
  }
  if (spec.image) {  // the contents of the image are unknown here
    argv.insert(argv.begin(), "python3");
    return Command{std::move(argv), fmt::format("python3 of the image {}", spec.image->name)};
  }
  for (const std::string& name : {typed, std::string(typed == "python" ? "python3" : "python")}) {
    const auto found = find_command(name);
    if (!found) continue;
    argv.insert(argv.begin(), *found);
    return Command{std::move(argv), fmt::format("{}, the {} on PATH", *found, name)};
  }
  return fail(Errc::usage,
              "there is no program python or python3 on your PATH; install one, or name one with --python PATH");
}

// The spec was checked before, so there are only two values.
core::RestartUnit parse_restart(std::string_view text) {
  return text == "all" ? core::RestartUnit::gang : core::RestartUnit::task;
}

// The spec was checked before, so there are only three modes.
job::Blacklist parse_blacklist(const spec::Blacklist& blacklist) {
  const auto mode = core::parse_name<job::Blacklist::Mode>(blacklist.mode);
  YDL_ASSERT(mode.has_value());
  return {*mode, blacklist.failures, blacklist.forget};
}

// Checks whether a role can run with fewer tasks.
Result<void> check_elastic(const framework::Framework& framework, const job::RolePlan& role,
                           const framework::RoleTraits& traits) {
  if (!role.is_elastic()) return {};
  const auto range = fmt::format("{}={}:{}", role.name, role.least, role.count);
  const bool is_main = framework.roles().empty() || role.name == framework.main_role();
  if (role.kind != core::RoleKind::decider || !is_main || role.restart == core::RestartUnit::task_in_place) {
    return fail(Errc::usage, fmt::format("{}: the number of tasks of role {} cannot change while the job runs; write "
                                         "{}={}",
                                         range, role.name, role.name, role.count));
  }
  if (framework.tracker() == framework::Tracker::pslite && role.restart == core::RestartUnit::task) {
    return fail(Errc::usage,
                fmt::format("{}: the number of workers of an MXNet job cannot change while the others run on, "
                            "as with dist_async; write {}={}, or use dist_sync",
                            range, role.name, role.count));
  }
  if (role.restart == core::RestartUnit::task && traits.restart != core::RestartUnit::task) {
    return fail(Errc::usage,
                fmt::format("{}: {} numbers its tasks without gaps, so all restart when their number changes; remove "
                            "'restart: alone' of role {}",
                            range, framework.name(), role.name));
  }
  return {};
}

// The options of the whole job.
job::Plan job_part(const spec::JobSpec& spec) {
  job::Plan plan;
  plan.job_retries = spec.job_retries;
  plan.allocation_timeout = spec.allocation_timeout;
  plan.start_timeout = spec.start_timeout;
  plan.run_timeout = spec.run_timeout;
  plan.stop_grace = spec.stop_grace;
  plan.evaluator_grace = spec.evaluator_grace;
  plan.fail_fast = spec.fail_fast;
  plan.grow_every = spec.grow_every.value_or(plan.grow_every);
  plan.stall_timeout = spec.stall_timeout.value_or(core::Millis(0));
  plan.blacklist = parse_blacklist(spec.blacklist);
  return plan;
}

}  // namespace

std::string search_path() {
  return core::process_getenv("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
}

std::optional<std::string> find_on_path(const std::string& name) {
  const auto path = search_path();
  for (const auto folder : core::split(path, ':')) {
    const auto candidate = fs::path(folder) / name;
    std::error_code ignored;
    if (fs::is_regular_file(candidate, ignored) && ::access(candidate.c_str(), X_OK) == 0) return candidate.string();
  }
  return std::nullopt;
}

std::optional<std::string> find_on_node(const std::string& name) {
  if (name != "python3") return std::nullopt;  // the only name that every distribution has
  return name;
}

yarn::Resource container_size(const RoleLaunch& role) {
  yarn::Resource size;
  size.memory_mib = static_cast<std::int64_t>((role.memory + kMiB - 1) / kMiB);
  size.vcores = role.vcores;
  if (role.gpus > 0) size.others[std::string(yarn::kGpu)] = role.gpus;
  for (const auto& [type, amount] : role.asked.types) {
    if (amount > 0) size.others[type] = amount;
  }
  return size;
}

const RoleLaunch& JobPlan::role(std::string_view name) const {
  const auto found = std::ranges::find(roles, name, &RoleLaunch::name);
  YDL_ASSERT(found != roles.end());
  return *found;
}

const job::RolePlan& JobPlan::job_role(std::string_view name) const {
  const auto found = std::ranges::find(job.roles, name, &job::RolePlan::name);
  YDL_ASSERT(found != job.roles.end());
  return *found;
}

int JobPlan::ports(const core::TaskId& task) const {
  const auto found = std::ranges::find(spec.roles, task.role, &spec::Role::name);
  YDL_ASSERT(found != spec.roles.end());
  const int of_framework = framework::has_role(*framework, task.role) ? framework->ports(shape, task) : kPortsOfSide;
  return of_framework + found->ports.value_or(0);
}

int default_retries(core::ClusterKind cluster) {
  return cluster == core::ClusterKind::local ? 0 : 2;
}

Result<JobPlan> make_plan(const spec::JobSpec& spec, const FindCommand& find_command, core::ClusterKind cluster) {
  JobPlan plan;
  plan.spec = spec;
  plan.job = job_part(spec);
  const auto found = framework::find(spec.framework);
  if (!found) return fail(found.error());
  plan.framework = *found;

  for (const auto& role : spec.roles) {
    if (is_beside(*plan.framework, role)) continue;
    plan.shape.roles.push_back(
        {role.name, role.count, role.command.empty() ? spec.command : role.command, role.least.has_value()});
  }
  if (auto fits = framework::check(*plan.framework, plan.shape); !fits) return fail(fits.error());

  int deciders = 0;
  for (const auto& role : spec.roles) {
    const auto& words = role.command.empty() ? spec.command : role.command;
    if (words.empty()) {
      return fail(
          Errc::usage,
          fmt::format("role {} has no command; write it after `--`, or as 'command' in the job file", role.name));
    }
    auto command = resolve_command(words, spec, find_command);
    if (!command) return fail(command.error());
    for (auto& note : plan.framework->correct_arguments(command->argv)) {
      if (std::ranges::find(plan.notes, note) == plan.notes.end()) plan.notes.push_back(std::move(note));
    }

    const auto traits = is_beside(*plan.framework, role)
                            ? framework::RoleTraits{.kind = core::RoleKind::side, .restart = core::RestartUnit::task}
                            : plan.framework->traits(plan.shape, role.name);
    const auto kind = role.kind ? core::parse_name<core::RoleKind>(*role.kind) : traits.kind;
    if (!kind)
      return fail(Errc::usage,
                  fmt::format("unknown kind of role '{}' (available: decider, service, side, evaluator)", *role.kind));
    if (*kind == core::RoleKind::decider) deciders += role.count;
    const auto restart = role.restart ? parse_restart(*role.restart) : traits.restart;
    const int retries = role.retries.value_or(spec.retries.value_or(default_retries(cluster)));
    plan.job.roles.push_back(
        {role.name, role.count, *kind, restart, retries, role.restart ? "" : std::string(traits.restart_reason)});
    plan.job.roles.back().least = role.least.value_or(0);
    if (auto fits = check_elastic(*plan.framework, plan.job.roles.back(), traits); !fits) return fail(fits.error());

    RoleLaunch launch;
    launch.name = role.name;
    launch.count = role.count;
    launch.least = role.least.value_or(role.count);
    launch.argv = std::move(command->argv);
    launch.interpreter_note = std::move(command->interpreter_note);
    launch.env = spec.env;
    for (const auto& [name, value] : role.env) launch.env[name] = value;
    for (const auto& [name, value] : launch.env) {
      if (auto fits = framework::check_length(name, value.size()); !fits) return fail(fits.error());
    }
    launch.asked = role.resources;
    if (role.resources.memory && *role.resources.memory < spec::kMinMemory) {
      return fail(Errc::usage, fmt::format("role {}: {} of memory is too little to start a process; the smallest size "
                                           "is {}",
                                           role.name, core::format_bytes(*role.resources.memory),
                                           core::format_bytes(spec::kMinMemory)));
    }
    launch.memory = role.resources.memory.value_or(default_memory(*plan.framework, role.name, *kind));
    launch.vcores = role.resources.vcores.value_or(1);
    launch.gpus = role.resources.gpus.value_or(0);
    plan.roles.push_back(std::move(launch));
  }
  if (deciders == 0) {
    return fail(
        Errc::usage,
        "the job has no role that must succeed, so it would never end; write 'kind: decider' in one of its roles");
  }
  plan.job.rendezvous_at = scheduler_task(plan, cluster);
  return plan;
}

std::optional<std::size_t> script_in(const std::vector<std::string>& command) {
  const std::size_t index = !command.empty() && is_python(command.front()) ? 1 : 0;
  if (command.size() <= index || !is_script(command[index])) return std::nullopt;
  return index;
}

namespace {

// Makes a valid name of a file's name, which may contain any bytes.
std::string name_of_bytes(std::string_view bytes) {
  std::string name;
  while (!bytes.empty()) {
    const auto length = core::utf8_length(bytes);
    const auto first = static_cast<unsigned char>(bytes.front());
    const bool is_shown = length > 0 && first >= 0x20 && first != 0x7F;
    if (name.size() + std::max<std::size_t>(length, 1) > spec::kMaxNameBytes) break;
    name += is_shown ? bytes.substr(0, length) : "-";
    bytes.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return name;
}

}  // namespace

std::string name_from_command(const std::vector<std::string>& command) {
  for (const auto& word : command) {
    if (word == "-c") return "python";  // the next word is program text, not a name
    if (is_python(fs::path(word).filename().string()) || word.starts_with('-')) continue;
    const auto stem = name_of_bytes(fs::path(word).stem().string());
    return stem.empty() ? "job" : stem;
  }
  return "job";
}

}  // namespace ydl::master

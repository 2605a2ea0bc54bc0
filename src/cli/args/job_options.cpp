#include "cli/args/job_options.hpp"

#include "core/strings.hpp"
#include "framework/framework.hpp"
#include "master/plan.hpp"
#include "spec/options.hpp"
#include "spec/rules.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

using core::Errc;
using core::fail;
using core::Result;

Result<void> add_role(spec::JobSpec& job, const std::string& name, spec::TaskCount tasks, std::string_view option) {
  const int count = tasks.most;
  if (count < 1)
    return fail(Errc::usage, fmt::format("{} {} is too small; a job needs at least one {}", option, count, name));
  if (std::ranges::find(job.roles, name, &spec::Role::name) != job.roles.end()) {
    return fail(Errc::usage, fmt::format("{}: role {} is given twice; give it once", option, name));
  }
  spec::Role role;
  role.name = name;
  role.count = count;
  role.least = tasks.least;
  job.roles.push_back(std::move(role));
  return {};
}

// add_role refuses numbers that are too small, the grammar those that are too large.
Result<spec::TaskCount> workers_of(const std::string& text) {
  if (text.find(':') != std::string::npos) {
    auto count = spec::parse_task_count(text);
    return count ? count : fail(std::move(count.error()).within("--n"));
  }
  return spec::TaskCount{core::parse_int<int>(text).value_or(1)};
}

Result<void> add_roles(spec::JobSpec& job, const JobOptions& options) {
  for (const auto& text : options.roles) {
    const auto role = spec::parse_role_count(text);
    if (!role) return fail(role.error().within("--role"));
    if (auto added = add_role(job, role->role, {role->count, role->least}, "--role"); !added) return added;
  }
  const auto found = framework::find(job.framework);
  if (!found) return fail(found.error());
  const std::string main_role((*found)->main_role());
  if (!options.workers.empty() || job.roles.empty()) {
    const auto workers = workers_of(options.workers);
    if (!workers) return fail(workers.error());
    if (auto added = add_role(job, main_role, *workers, "--n"); !added) return added;
  }
  const auto workers = std::ranges::find(job.roles, main_role, &spec::Role::name);
  const auto servers =
      (*found)->default_servers(workers == job.roles.end() ? 1 : workers->least.value_or(workers->count));
  if (!servers) {
    if (!options.servers) return {};
    return fail(Errc::usage,
                fmt::format("--s: framework {} has no servers; remove --s, add --framework mxnet, or use --role NAME=N",
                            job.framework));
  }
  const bool servers_named = std::ranges::find(job.roles, servers->name, &spec::Role::name) != job.roles.end();
  if (servers_named && !options.servers) return {};
  return add_role(job, servers->name, {options.servers.value_or(servers->count)}, "--s");
}

spec::Role* find_role(spec::JobSpec& job, const std::string& name) {
  const auto found = std::ranges::find(job.roles, name, &spec::Role::name);
  return found == job.roles.end() ? nullptr : &*found;
}

// The ApplicationMaster of a cluster is not a role of the job, but takes resources like one.
constexpr std::string_view kMasterRole = "am";

void add_resources(spec::Resources& to, const spec::Resources& more) {
  if (more.memory) to.memory = more.memory;
  if (more.vcores) to.vcores = more.vcores;
  if (more.gpus) to.gpus = more.gpus;
  if (more.label) to.label = more.label;
  if (!more.hosts.empty()) to.hosts = more.hosts;
  if (!more.racks.empty()) to.racks = more.racks;
  if (more.placement) to.placement = more.placement;
  for (const auto& [type, amount] : more.types) to.types[type] = amount;
}

// Resources for one role, and the option that asks for them.
struct RoleRequest {
  std::string option;
  std::string role;
  spec::Resources resources;
};

Result<void> add_resources(spec::JobSpec& job, const RoleRequest& request) {
  if (request.role == kMasterRole) {
    add_resources(job.am_resources, request.resources);
    if (auto ok = spec::check_am_resources(job.am_resources); !ok) return fail(ok.error().within(request.option));
    return {};
  }
  auto* role = find_role(job, request.role);
  if (role == nullptr) {
    std::vector<std::string_view> names;
    for (const auto& known : job.roles) names.emplace_back(known.name);
    return fail(Errc::usage, fmt::format("{}: the job has no role '{}'{} (available: {})", request.option, request.role,
                                         core::did_you_mean(request.role, names), fmt::join(names, ", ")));
  }
  add_resources(role->resources, request.resources);
  return {};
}

Result<void> add_resources(spec::JobSpec& job, const JobOptions& options) {
  for (const auto& text : options.resources) {
    const auto parsed = spec::parse_role_resources(text);
    if (!parsed) return fail(parsed.error().within("--resource"));
    if (auto added = add_resources(job, {"--resource " + text, parsed->role, parsed->resources}); !added) return added;
  }
  struct Short {
    const std::string& value;
    std::string option, role, key;
  };
  const std::array<Short, 4> shorts{{{options.worker_memory, "--worker-memory", "worker", "memory"},
                                     {options.worker_cores, "--worker-cores", "worker", "vcores"},
                                     {options.server_memory, "--server-memory", "server", "memory"},
                                     {options.server_cores, "--server-cores", "server", "vcores"}}};
  for (const auto& [value, option, role, key] : shorts) {
    if (value.empty()) continue;
    const auto parsed = spec::parse_resource(key, value);
    if (!parsed) return fail(parsed.error().within(option));
    if (auto added = add_resources(job, {option, role, *parsed}); !added) return added;
  }
  return {};
}

Result<void> set_duration(core::Millis& target, const std::string& text, std::string_view option) {
  if (text.empty()) return {};
  const auto parsed = core::parse_duration(text);
  if (!parsed) return fail(parsed.error().within(option));
  target = *parsed;
  return {};
}

// "KEY" alone has the value that it has here: a secret is then not among the words that every user can read in a list
// of processes.
Result<std::string> with_value(const std::string& text, const core::Getenv& getenv) {
  if (text.empty() || text.find('=') != std::string::npos) return text;
  const auto value = getenv(text.c_str());
  if (value) return fmt::format("{}={}", text, *value);
  return fail(
      Errc::usage,
      fmt::format("--env {0}: {0} is not set in this shell, or empty; write --env {0}=VALUE, or `export {0}` first",
                  core::printable(text)));
}

}  // namespace

Result<spec::JobSpec> make_spec(const JobOptions& options, const std::string& directory, const core::Getenv& getenv) {
  spec::JobSpec job;
  job.framework = options.framework;
  job.command = options.command;
  job.directory = directory;
  job.auto_files = !options.no_auto_files;
  if (job.command.empty()) {
    return fail(Errc::usage,
                "the command to run is missing; write it at the end, for example `ydl run --n 2 -- python train.py`");
  }
  job.name = options.name.empty() ? master::name_from_command(job.command) : options.name;
  if (!options.python.empty()) job.python = options.python;
  if (!options.python_env.empty()) job.python_env = options.python_env;
  if (job.python && job.python_env && job.python_env != spec::kEnvHere) {
    return fail(Errc::usage, "--python and --python-env both name an interpreter; remove one of them");
  }
  job.retries = options.retries;
  job.job_retries = options.job_retries;
  if (!options.blacklist.empty()) {
    if (auto ok = spec::check_blacklist_mode(options.blacklist); !ok) return fail(ok.error().within("--blacklist"));
    job.blacklist.mode = options.blacklist;
  }

  if (auto roles = add_roles(job, options); !roles) return fail(roles.error());
  if (auto resources = add_resources(job, options); !resources) return fail(resources.error());
  for (const auto& text : options.env) {
    const auto whole = with_value(text, getenv);
    if (!whole) return fail(whole.error());
    const auto variable = spec::parse_env_variable(*whole);
    if (!variable) return fail(variable.error().within("--env"));
    job.env[variable->name] = variable->value;
  }
  for (const auto& text : options.files) {
    auto file = spec::parse_file_ref(text);
    if (!file) return fail(file.error().within("--file"));
    job.files.push_back(*std::move(file));
  }
  for (const auto& text : options.archives) {
    auto archive = spec::parse_archive_ref(text);
    if (!archive) return fail(archive.error().within("--archive"));
    job.archives.push_back(*std::move(archive));
  }
  for (const auto& text : options.inputs) {
    auto input = spec::parse_input_ref(text);
    if (!input) return fail(input.error().within("--input"));
    job.inputs.push_back(*std::move(input));
  }
  if (!options.files_limit.empty()) {
    const auto limit = core::parse_bytes(options.files_limit);
    if (!limit) return fail(limit.error().within("--files-limit"));
    job.files_limit = *limit;
  }
  for (auto set : {set_duration(job.allocation_timeout, options.allocation_timeout, "--allocation-timeout"),
                   set_duration(job.run_timeout, options.run_timeout, "--timeout"),
                   set_duration(job.stop_grace, options.stop_grace, "--stop-grace")}) {
    if (!set) return fail(set.error());
  }
  if (!options.stall_timeout.empty()) {
    const auto time = core::parse_duration(options.stall_timeout);
    const auto ok = time ? spec::check_duration(*time, spec::Zero::refused) : core::fail(time.error());
    if (!ok) return fail(ok.error().within("--stall-timeout"));
    job.stall_timeout = *time;
  }
  if (!options.restore_from.empty()) {
    if (auto ok = spec::check_job_reference(options.restore_from); !ok)
      return fail(ok.error().within("--restore-from"));
    job.restore_from = options.restore_from;
  }
  return job;
}

}  // namespace ydl::cli

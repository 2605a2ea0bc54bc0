#include "cli/launch.hpp"

#include "agent/gpus.hpp"
#include "backend/local/local.hpp"
#include "cli/archives.hpp"
#include "cli/common.hpp"
#include "cli/dry_run.hpp"
#include "cli/follow.hpp"
#include "cli/held_signals.hpp"
#include "cli/launch_parts.hpp"
#include "cli/luggage.hpp"
#include "cli/python_env.hpp"
#include "cli/task_paths.hpp"
#include "cli/where.hpp"
#include "core/strings.hpp"
#include "core/user.hpp"
#include "core/version.hpp"
#include "master/job_folder.hpp"
#include "master/plan.hpp"
#include "net/child_process.hpp"
#include "spec/rules.hpp"
#include "ui/screen.hpp"

#include <array>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

namespace fs = std::filesystem;
using core::Result;

Result<void> check_machine(const master::JobPlan& plan) {
  backend::Needs needs;
  std::vector<std::string> gpu_users;
  for (const auto& role : plan.roles) {
    needs.tasks += role.count;
    needs.memory += role.asked.memory.value_or(0) * static_cast<std::uint64_t>(role.count);
    needs.gpus += role.gpus * role.count;
    if (role.gpus > 0)
      gpu_users.push_back(fmt::format("{} for each of {}", role.gpus, core::plural(role.count, role.name)));
  }
  needs.gpu_users = core::join(gpu_users, ", ");
  backend::Machine machine;
  machine.cores = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  machine.memory =
      static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  if (needs.gpus > 0) {
    const auto gpus = agent::discover_gpus();
    if (!gpus) return core::fail(gpus.error());
    machine.gpus = static_cast<int>(gpus->size());
  }
  return backend::check_capacity(needs, machine);
}

master::StateFile initial_state() {
  master::StateFile state;
  state.state = "placing";
  return state;
}

// The folders that the agent will want for the first attempts. A folder can cost as much time as a process: they are
// made here while the master starts. What cannot be made the agent tries again, and says why.
void make_task_folders(const master::JobFolder& folder, const master::JobPlan& plan) {
  for (const auto& role : plan.roles) {
    for (int index = 0; index < role.count; ++index) {
      const core::TaskId task{role.name, index};
      for (const auto& path : {folder.working_directory(task), folder.task_logs({task, 1})}) {
        if (!core::make_directories(path)) return;
      }
    }
  }
}

}  // namespace

Result<master::JobFolder> make_job_folder(const RunOptions& options, const spec::JobSpec& spec, const Where& where,
                                          const ResultsOf& results_of) {
  const auto jobs = master::jobs_root();
  if (!jobs) return core::fail(jobs.error());
  return master::create_job_folder(*jobs, spec.name, [&](const auto& unfinished, const auto& folder) {
    master::JobFile job;
    job.id = folder.id();
    job.created = core::wall_now();
    job.user = core::user_name();
    job.ydl_version = core::kVersion;
    job.cluster = where.cluster;
    job.results = results_of(folder);
    job.port_range = options.port_range;
    job.spec = spec;
    auto written = master::write_job_file(unfinished, job);
    return written ? master::write_state_file(unfinished, initial_state()) : written;
  });
}

void say(const RunOptions& options, const std::string& line) {
  const bool quiet = options.common.output == ui::Mode::json || options.common.output == ui::Mode::quiet;
  if (!quiet) (void)core::write_all(STDERR_FILENO, line + "\n");
}

void say_how_to_follow(const RunOptions& options, const std::string& id) {
  say(options, fmt::format("`ydl logs -f {0}` follows it, `ydl status {0}` shows it, `ydl kill {0}` stops it", id));
  print(wants_json(options.common) ? fmt::format("{{\"v\":1,\"type\":\"submitted\",\"id\":\"{}\"}}\n", id) : id + "\n");
}

Result<core::UniqueFd> start_master(const master::JobFolder& folder, bool detached,
                                    const std::function<void()>& meanwhile) {
  auto leash = core::make_pipe();
  auto answer = core::make_pipe();
  if (!leash) return core::fail(leash.error());
  if (!answer) return core::fail(answer.error());
  net::SpawnOptions spawn;
  spawn.executable = net::kOwnExecutable;
  spawn.argv = {"ydl", "__master", "--folder", folder.root().string()};
  if (detached)
    spawn.argv.emplace_back("--detached");
  else
    spawn.standard_input = std::move(leash->read);
  spawn.standard_output = std::move(answer->write);
  spawn.log_file = folder.master_log();
  if (auto process = net::ChildProcess::spawn(std::move(spawn)); !process) return core::fail(process.error());
  if (meanwhile) meanwhile();

  std::string line;
  std::array<char, 4096> buffer{};
  for (;;) {
    const auto n = ::read(answer->read.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    line.append(buffer.data(), static_cast<std::size_t>(n));
  }
  if (line.starts_with("ready")) return std::move(leash->write);
  if (line.starts_with("error ")) return core::fail(core::Errc::io, std::string(core::trim(line.substr(6))));
  return core::fail(core::Errc::io,
                    fmt::format("the job's master did not start; its log is {}", folder.master_log().string()));
}

int launch_job(const RunOptions& options, spec::JobSpec spec) {
  const auto where = choose_cluster({options.common.cluster, options.yarn.resource_manager, options.cluster_only});
  if (!where) return complain(where.error());
  if (where->cluster == "yarn") return launch_on_yarn(options, std::move(spec), *where);
  if (auto checked = spec::check_job(spec); !checked) return complain(checked.error());
  if (!options.dry_run) {
    if (auto scripts = check_scripts(spec); !scripts) return complain(scripts.error());
  }
  // An image sees what the job brings to its tasks, not where it comes from.
  spec = spec.image ? with_scripts_shipped(std::move(spec)) : with_scripts_in_place(std::move(spec));
  if (!options.dry_run) {
    auto runnable = with_runtime_of_this_machine(std::move(spec));
    if (!runnable) return complain(runnable.error());
    spec = *std::move(runnable);
  }
  if (spec.python_env && !options.dry_run) {
    const auto environment = find_python_env(spec, [&](const std::string& line) { say(options, line); });
    if (!environment) return complain(environment.error());
    auto interpreter = local_interpreter(*environment);
    if (!interpreter) return complain(interpreter.error());
    spec = with_programs_first(std::move(spec), *interpreter, master::search_path());
    spec = with_interpreter(std::move(spec), *std::move(interpreter));
  }
  const auto plan = master::make_plan(spec);
  if (!plan) return complain(plan.error());
  if (options.dry_run) {
    print(wants_json(options.common) ? dry_run_json(*plan, *where) : dry_run_text(*plan, *where, output_style()));
    return 0;
  }
  if (auto fits = check_machine(*plan); !fits) return complain(fits.error());
  const auto luggage_note = check_luggage(spec);
  if (!luggage_note) return complain(luggage_note.error());

  say(options, where->sentence);
  for (const auto& note : options.notes) say(options, note);
  for (const auto& note : plan->notes) say(options, "note: " + note);
  for (const auto& note : outside_paths(spec)) say(options, "note: " + note);
  if (!luggage_note->empty()) say(options, "note: " + *luggage_note);
  HeldSignals signals;
  const auto folder = make_job_folder(options, spec, *where, [&](const master::JobFolder& made) {
    return options.results.empty() ? made.default_results() : fs::absolute(options.results);
  });
  if (!folder) return complain(folder.error());
  if (auto unpacked = unpack_archives(spec, folder->archives()); !unpacked) {
    std::error_code ignored;
    fs::remove_all(folder->root(), ignored);
    return complain(unpacked.error());
  }
  auto leash = start_master(*folder, options.detach, [&] { make_task_folders(*folder, *plan); });
  if (!leash) return complain(leash.error());
  if (options.detach) {
    say_how_to_follow(options, folder->id().str());
    return 0;
  }
  return follow_job(*folder, {options.common.output, *std::move(leash), std::move(signals)});
}

}  // namespace ydl::cli

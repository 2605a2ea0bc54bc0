#include "client/local/local_launch.hpp"

#include "agent/resources/gpus.hpp"
#include "backend/local/local.hpp"
#include "client/env/archives.hpp"
#include "client/env/python_env.hpp"
#include "client/local/image_runtime.hpp"
#include "client/local/master_start.hpp"
#include "client/restore_source.hpp"
#include "client/task_paths.hpp"
#include "client/upload_size.hpp"
#include "core/strings.hpp"
#include "core/user.hpp"
#include "master/local_process.hpp"

#include <unistd.h>

#include <fmt/format.h>

namespace ydl::client {
namespace {

namespace fs = std::filesystem;
using core::fail;

core::Result<> check_machine(const master::JobPlan& plan) {
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
    if (!gpus) return fail(gpus.error());
    machine.gpus = static_cast<int>(gpus->size());
  }
  return backend::check_capacity(needs, machine);
}

// Creates the folders that the agent needs for the first attempts. Creating a folder can take as long as starting a
// process, so this is done while the master starts. If it fails here, the agent tries again and reports the error.
void make_task_folders(const jobs::JobFolder& folder, const master::JobPlan& plan) {
  for (const auto& role : plan.roles) {
    for (int index = 0; index < role.count; ++index) {
      const core::TaskId task{role.name, index};
      for (const auto& path : {folder.working_directory(task), folder.task_logs({task, 1})}) {
        if (!core::make_directories(path)) return;
      }
    }
  }
}

class LocalLaunch final : public LaunchTarget {
 public:
  core::Result<spec::JobSpec> complete(spec::JobSpec job, Effort effort, const Say& say) override {
    // In an image only the files that are linked into the tasks' directories are visible.
    job = job.image ? with_scripts_shipped(std::move(job)) : with_scripts_in_place(std::move(job));
    if (effort == Effort::look) {
      if (has_python_env(job)) job.python_env = name_of_python_env(job);
      return job;
    }
    auto runnable = with_runtime_of_this_machine(std::move(job));
    if (!runnable || !has_python_env(*runnable)) return runnable;
    const auto environment = find_python_env(*runnable, say);
    if (!environment) return fail(environment.error());
    auto interpreter = local_interpreter(*environment);
    if (!interpreter) return fail(interpreter.error());
    job = with_programs_first(*std::move(runnable), *interpreter, master::search_path());
    job = with_packages_first(std::move(job), *environment, core::process_getenv("PYTHONPATH").value_or(""));
    return with_interpreter(std::move(job), *std::move(interpreter));
  }

  std::optional<std::string> find_command(const std::string& name) const override { return master::find_on_path(name); }

  core::Result<> check_here(const master::JobPlan& plan) const override {
    if (auto fits = check_machine(plan); !fits) return fits;
    const auto note = check_upload_size(plan.spec);
    if (!note) return fail(note.error());
    return {};
  }

  net::Async<std::vector<std::string>> check(const master::JobPlan& plan) override {
    if (auto fits = check_machine(plan); !fits) co_return fail(fits.error());
    const auto note = check_upload_size(plan.spec);
    if (!note) co_return fail(note.error());
    co_return note->empty() ? std::vector<std::string>{} : std::vector{*note};
  }

  net::Async<jobs::RestoreFolders> restore_from(std::string job) override { co_return restore_from_here(job); }

  core::Result<fs::path> results(const jobs::JobFolder& folder, const std::string& wanted) const override {
    return wanted.empty() ? folder.default_results() : fs::absolute(wanted);
  }

  net::Async<> stage(const PlannedJob& job, StageHooks hooks) override {
    return unpack_archives(job.plan.spec, job.folder.archives(), std::move(hooks.stop));
  }

  net::Async<> submit(const PlannedJob&, const Say&, std::stop_token) override { co_return core::Result<>{}; }

  net::Async<core::UniqueFd> start(const PlannedJob& job, master::Attachment attachment) override {
    co_return co_await start_master(job.folder, {.kind = master::local_master(), .attachment = attachment},
                                    [&] { make_task_folders(job.folder, job.plan); });
  }

  net::awaitable<void> abandon() override { co_return; }
  std::string leftovers() const override { return {}; }
};

}  // namespace

std::unique_ptr<LaunchTarget> make_local_launch() {
  return std::make_unique<LocalLaunch>();
}

}  // namespace ydl::client

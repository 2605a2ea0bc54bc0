#include "client/launch.hpp"

#include "client/follow.hpp"
#include "client/held_signals.hpp"
#include "client/task_paths.hpp"
#include "client/transfer_bar.hpp"
#include "core/user.hpp"
#include "core/version.hpp"
#include "jobs/private_root.hpp"
#include "net/wait_for.hpp"
#include "spec/rules.hpp"

#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::client {
namespace {

using core::fail;
using core::Result;

constexpr int kInterrupted = 130;

void remove_folder(const jobs::JobFolder& folder) {
  std::error_code ignored;
  std::filesystem::remove_all(folder.root(), ignored);
}

// One launch on its way. Each step is one function; launch() below has their order.
class Launch {
 public:
  Launch(const LaunchOptions& options, const LaunchHooks& hooks, ClusterChoice choice)
      : options_(options), hooks_(hooks), choice_(std::move(choice)) {}

  Result<> begin() {
    auto target = make_launch_target(context_.get_executor(), choice_);
    if (!target) return fail(target.error());
    target_ = *std::move(target);
    return {};
  }

  Result<master::JobPlan> plan(spec::JobSpec job) {
    if (auto checked = spec::check_job(job); !checked) return fail(checked.error());
    if (!options_.dry_run) {
      if (auto scripts = check_scripts(job); !scripts) return fail(scripts.error());
    }
    auto completed = target_->complete(std::move(job), options_.dry_run ? Effort::look : Effort::build,
                                       [this](const std::string& line) { say(line); });
    if (!completed) return fail(completed.error());
    return master::make_plan(*completed, [this](const std::string& name) { return target_->find_command(name); });
  }

  Result<> check(const master::JobPlan& plan) {
    if (choice_.cluster != "local") announce();  // it can take a while
    const auto notes = net::wait_for(context_, target_->check(plan));
    if (!notes) return fail(notes.error());
    for (const auto& note : options_.notes) say(note);
    for (const auto& list : {plan.notes, outside_paths(plan.spec), *notes}) {
      for (const auto& note : list) say("note: " + note);
    }
    announce();
    return {};
  }

  // A folder with the job's file and its first state. Errors: io; usage (the results).
  Result<jobs::JobFolder> make_folder(const spec::JobSpec& spec) {
    const auto root = jobs::make_jobs_root();
    if (!root) return fail(root.error());
    return jobs::create_job_folder(*root, spec.name, [&](const auto& unfinished, const auto& folder) {
      return fill_folder(unfinished, folder, spec);
    });
  }

  Result<> stage(const PlannedJob& job) {
    TransferBar bar(options_.output);
    LaunchTarget::StageHooks hooks;
    hooks.say = [&](const std::string& line) {
      bar.clear();
      say(line);
    };
    hooks.show_progress = [&](const backend::StagingProgress& progress) {
      bar.show({progress.bytes, progress.bytes_done, progress.files, progress.files_done});
    };
    Interruption interruption(context_.get_executor(),
                              {.first = [&] { hooks.say("interrupted: the job is not submitted"); },
                               .second = [&] { end_at_once(job.folder); }});
    hooks.stop = interruption.token();
    auto staged = net::wait_for(context_, target_->stage(job, hooks));
    interruption.end();
    if (interruption.token().stop_requested()) staged = fail(core::Errc::cancelled, "interrupted");
    if (!staged) give_up(job.folder);
    if (!staged && staged.error().code == core::Errc::cancelled) return fail(not_submitted(job));
    return staged;
  }

  Result<> submit(const PlannedJob& job) {
    auto submitted = net::wait_for(context_, target_->submit(job, [this](const std::string& line) { say(line); }));
    if (!submitted) give_up(job.folder);
    return submitted;
  }

  // What a master that does not start wrote to its log stays in the job's folder.
  Result<core::UniqueFd> start(const PlannedJob& job) {
    const auto attachment = options_.detach ? master::Attachment::detached : master::Attachment::leashed;
    auto leash = net::wait_for(context_, target_->start(job, attachment));
    target_->close();
    return leash;
  }

  [[nodiscard]] const ClusterChoice& choice() const { return choice_; }

 private:
  // Where the job runs is the first thing that is said.
  void announce() {
    if (!std::exchange(announced_, true)) hooks_.say(choice_.sentence);
  }
  void say(const std::string& line) {
    announce();
    hooks_.say(line);
  }

  Result<> fill_folder(const jobs::JobFolder& unfinished, const jobs::JobFolder& folder, const spec::JobSpec& spec) {
    auto results = target_->results(folder, options_.results);
    if (!results) return fail(results.error());
    jobs::JobFile file;
    file.id = folder.id();
    file.created = core::wall_now();
    file.user = core::user_name();
    file.ydl_version = core::kVersion;
    file.cluster = choice_.cluster;
    file.results = *std::move(results);
    file.port_range = options_.port_range;
    file.spec = spec;
    if (auto written = jobs::write_job_file(unfinished, file); !written) return written;
    jobs::StateFile state;
    state.state = "placing";
    return jobs::write_state_file(unfinished, state);
  }

  void give_up(const jobs::JobFolder& folder) {
    (void)net::wait_for(context_, [](LaunchTarget& target) -> net::Async<> {
      co_await target.abandon();
      co_return Result<>{};
    }(*target_));
    remove_folder(folder);
  }

  [[nodiscard]] core::Error not_submitted(const PlannedJob& job) const {
    const auto left = target_->leftovers();
    return {core::Errc::cancelled,
            fmt::format("{} was not submitted: interrupted{}{}", job.plan.spec.name, left.empty() ? "" : "; ", left)};
  }

  // The second Ctrl-C: a person does not wait until what was begun is removed.
  [[noreturn]] void end_at_once(const jobs::JobFolder& folder) {
    remove_folder(folder);
    hooks_.say(
        "interrupted again: the job is not submitted, and unfinished uploads may be left; `ydl env gc` removes "
        "them");
    ::_exit(kInterrupted);
  }

  const LaunchOptions& options_;
  const LaunchHooks& hooks_;
  ClusterChoice choice_;
  net::asio::io_context context_{1};
  std::unique_ptr<LaunchTarget> target_;
  bool announced_ = false;
};

}  // namespace

Result<int> launch(const LaunchOptions& options, spec::JobSpec job, const LaunchHooks& hooks) {
  auto choice = choose_cluster(options.cluster);
  if (!choice) return fail(choice.error());
  Launch launch(options, hooks, *std::move(choice));
  if (auto begun = launch.begin(); !begun) return fail(begun.error());
  auto plan = launch.plan(std::move(job));
  if (!plan) return fail(plan.error());
  if (options.dry_run) {
    hooks.show_plan(*plan, launch.choice());
    return 0;
  }
  if (auto checked = launch.check(*plan); !checked) return fail(checked.error());
  HeldSignals signals;
  auto folder = launch.make_folder(plan->spec);
  if (!folder) return fail(folder.error());
  const PlannedJob planned{*std::move(folder), *std::move(plan)};
  if (auto staged = launch.stage(planned); !staged) return fail(staged.error());
  if (auto submitted = launch.submit(planned); !submitted) return fail(submitted.error());
  auto leash = launch.start(planned);
  if (!leash) return fail(leash.error());
  if (options.detach) {
    hooks.detached(planned.folder.id().str());
    return 0;
  }
  return follow_job(planned.folder, {options.output, *std::move(leash), std::move(signals)});
}

}  // namespace ydl::client

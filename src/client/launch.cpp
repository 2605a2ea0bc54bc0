#include "client/launch.hpp"

#include "client/command_check.hpp"
#include "client/follow.hpp"
#include "client/follow_screen.hpp"
#include "client/held_signals.hpp"
#include "client/local_retention.hpp"
#include "client/settings.hpp"
#include "client/shown_tasks.hpp"
#include "client/task_paths.hpp"
#include "client/transfer_bar.hpp"
#include "core/strings.hpp"
#include "core/user.hpp"
#include "core/version.hpp"
#include "jobs/private_root.hpp"
#include "net/spawn.hpp"
#include "net/wait_for.hpp"
#include "spec/problems.hpp"
#include "spec/rules.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::client {
namespace {

using core::fail;
using core::Result;

constexpr int kInterrupted = 130;
constexpr core::Millis kGiveUpPatience{10'000};  // for undoing a submission on the cluster

template <class T>
using Answer = std::shared_ptr<std::optional<Result<T>>>;

template <class T>
net::awaitable<void> finish(net::Async<T> work, Answer<T> answer, std::function<void()> then) {
  answer->emplace(co_await std::move(work));
  then();
}

// Checks that the paths of a job file exist, and that the path of the results can be stored in job.json.
Result<> check_paths(const spec::JobSpec& job, const std::string& results) {
  if (const auto missing = missing_file(job)) return fail(core::Errc::usage, missing->sentence);
  if (auto scripts = check_scripts(job); !scripts) return scripts;
  if (auto path = results.empty() ? Result<>{} : spec::check_path(results); !path)
    return fail(path.error().within("--results"));
  return {};
}

void remove_folder(const jobs::JobFolder& folder) {
  std::error_code ignored;
  std::filesystem::remove_all(folder.root(), ignored);
}

// One launch. Each step is a function; launch() below calls them in order.
class Launch {
 public:
  Launch(const LaunchOptions& options, const LaunchHooks& hooks, ClusterChoice choice)
      : options_(options), hooks_(hooks), choice_(std::move(choice)) {}

  Result<> begin() {
    auto settings = load_settings();
    if (!settings) return fail(settings.error());
    settings_ = *std::move(settings);
    auto target = make_launch_target(context_.get_executor(), choice_);
    if (!target) return fail(target.error());
    target_ = *std::move(target);
    return {};
  }

  Result<master::JobPlan> plan(spec::JobSpec job) {
    if (auto checked = spec::check_job(job); !checked) return fail(checked.error());
    if (auto paths = check_paths(job, options_.results); !paths) return fail(paths.error());
    auto completed = target_->complete(std::move(job), options_.dry_run ? Effort::look : Effort::build, say_);
    if (!completed) return fail(completed.error());
    auto plan = master::make_plan(
        *completed, [this](const std::string& name) { return target_->find_command(name); }, choice_.cluster);
    if (!plan) return plan;
    if (auto commands = check_commands(plan->spec, choice_.cluster, master::search_path()); !commands)
      return fail(commands.error());
    auto shown = ShownTasks::of(options_.show_logs, plan->spec, FollowScreen::resolved(options_.output));
    if (!shown) return fail(shown.error());
    return plan;
  }

  Result<> check_here(const master::JobPlan& plan) const { return target_->check_here(plan); }

  Result<> check(const master::JobPlan& plan) {
    if (choice_.cluster != core::ClusterKind::local) announce();  // uploading can take a while
    const auto notes = net::wait_for(context_, target_->check(plan));
    if (!notes) return fail(with_guess(notes.error(), choice_));
    if (plan.spec.restore_from) {
      auto folders = net::wait_for(context_, target_->restore_from(*plan.spec.restore_from));
      if (!folders) return fail(folders.error());
      restore_ = *std::move(folders);
    }
    for (const auto& note : options_.notes) say(note);
    for (const auto& list : {plan.notes, outside_paths(plan.spec), *notes}) {
      for (const auto& note : list) say("note: " + note);
    }
    announce();
    return {};
  }

  // Creates a folder with the job's file and its first state. Errors: io; usage (the path of the results).
  Result<jobs::JobFolder> make_folder(const spec::JobSpec& spec) {
    const auto root = jobs::make_jobs_root();
    if (!root) return fail(root.error());
    return jobs::create_job_folder(*root, spec.name, [&](const auto& unfinished, const auto& folder) {
      return fill_folder(unfinished, folder, spec);
    });
  }

  // From here to end_interruption() a signal stops the current step.
  void begin_interruption(const PlannedJob& job) {
    interruption_.emplace(context_.get_executor(),
                          Interruption::Reactions{.first = [this, &job] { interrupt(job); },
                                                  .second = [this, &job] { end_at_once(job); }});
  }
  void end_interruption() { interruption_.reset(); }

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
    hooks.stop = interruption_->token();
    step_ = Step::stage;
    auto staged = net::wait_for(context_, target_->stage(job, hooks));
    if (is_interrupted()) staged = fail(core::Errc::cancelled, "interrupted");
    if (!staged) give_up(job);
    if (!staged && staged.error().code == core::Errc::cancelled) return fail(not_submitted(job));
    if (!staged) return fail(with_guess(staged.error(), choice_));
    return staged;
  }

  Result<> submit(const PlannedJob& job) {
    step_ = Step::submit;
    auto submitted = run(target_->submit(job, say_, interruption_->token()));
    if (submitted && !is_interrupted()) return submitted;
    give_up(job);
    const auto application = target_->maybe_submitted_as();
    if (application.empty()) return fail(is_interrupted() ? not_submitted(job) : submitted.error());
    if (is_interrupted()) submitted = fail(core::Errc::cancelled, "interrupted");
    return fail(submitted.error().code, fmt::format("{} may have been submitted as {}: {}; {}", job.folder.id().str(),
                                                    application, submitted.error().message, target_->leftovers()));
  }

  // Nothing is left of a job that its master refuses. If a master ends without a message, its log is kept.
  Result<core::UniqueFd> start(const PlannedJob& job) {
    step_ = Step::start;
    const auto attachment = options_.detach ? master::Attachment::detached : master::Attachment::attached;
    auto lifeline = run(target_->start(job, attachment));
    if (!lifeline && is_interrupted()) {
      if (!target_->maybe_submitted_as().empty()) give_up(job);
      const auto id = job.folder.id().str();
      const auto what =
          options_.detach ? fmt::format("may continue; `ydl kill {}` stops it", id) : "ends with this command";
      lifeline = fail(core::Errc::cancelled,
                      fmt::format("interrupted while the master of {} was starting: the job {}", id, what));
    } else if (!lifeline) {
      end_unstarted(job, lifeline.error());
    }
    target_->close();
    return lifeline;
  }

  // The job is started: it does not wait for this.
  void tidy_up(const PlannedJob& job) {
    const int removed = remove_old_jobs_here(job.folder.root().parent_path(), settings_.keep_jobs);
    if (removed == 0) return;
    say(fmt::format("deleted {} of this machine that ended {} ago or earlier (keep_jobs)", core::plural(removed, "job"),
                    core::format_duration(*settings_.keep_jobs)));
  }

  [[nodiscard]] const ClusterChoice& choice() const { return choice_; }

 private:
  // Where the job runs is the first thing that is said. On a terminal a job of this machine is told by its title.
  void announce() {
    const bool is_told_later = choice_.cluster == core::ClusterKind::local &&
                               FollowScreen::resolved(options_.output) == ui::Mode::tty && !options_.detach;
    if (!is_told_later && !std::exchange(announced_, true)) hooks_.say(choice_.sentence);
  }
  void say(const std::string& line) {
    announce();
    hooks_.say(line);
  }

  [[nodiscard]] bool is_interrupted() const { return interruption_ && interruption_->token().stop_requested(); }

  // Runs a step until it ends or the loop is stopped, by an interruption or after `at_most`. An unfinished step stays
  // in the loop and continues when the loop runs for the next one, so its answer must outlive this call.
  template <class T>
  Result<T> run(net::Async<T> work, std::optional<core::Millis> at_most = std::nullopt) {
    const auto answer = std::make_shared<std::optional<Result<T>>>();
    // An earlier step that ends now must not end the wait for the current one.
    const auto stop_if_awaited = [this, number = ++steps_] {
      if (number == steps_) context_.stop();
    };
    net::spawn(context_.get_executor(), "a step of the launch", finish<T>(std::move(work), answer, stop_if_awaited));
    context_.restart();
    if (at_most)
      context_.run_for(*at_most);
    else
      context_.run();
    context_.restart();
    if (!*answer) return fail(core::Errc::cancelled, "interrupted");
    return std::move(**answer);
  }

  // The first Ctrl-C. Staging stops by itself and cleans up. The other steps may be waiting for a server and are
  // abandoned.
  void interrupt(const PlannedJob& job) {
    if (step_ == Step::give_up) end_at_once(job);
    say(step_ == Step::start ? "interrupted: the job is not started" : "interrupted: the job is not submitted");
    if (step_ != Step::stage) context_.stop();
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
    file.restore = restore_;
    file.spec = spec;
    if (auto written = jobs::write_job_file(unfinished, file); !written) return written;
    jobs::StateFile state;
    state.state = core::JobState::placing;
    return jobs::write_state_file(unfinished, state);
  }

  // If the job may have been submitted, its folders are kept, because its master and `ydl kill` read them.
  void give_up(const PlannedJob& job) {
    abandon();
    if (target_->maybe_submitted_as().empty()) remove_folder(job.folder);
  }

  void abandon() {
    step_ = Step::give_up;
    (void)run(
        [](LaunchTarget& target) -> net::Async<> {
          co_await target.abandon();
          co_return Result<>{};
        }(*target_),
        kGiveUpPatience);
  }

  // No master runs the job.
  void end_unstarted(const PlannedJob& job, const core::Error& error) {
    if (error.code == core::Errc::refused)
      give_up(job);
    else
      abandon();
    std::error_code ignored;
    if (!std::filesystem::exists(job.folder.root(), ignored)) return;
    jobs::StateFile state;
    state.state = core::JobState::failed;
    state.exit_code = 1;
    state.reason = error.message;
    state.finished = core::wall_now();
    (void)jobs::write_state_file(job.folder, state);
  }

  [[nodiscard]] core::Error not_submitted(const PlannedJob& job) const {
    const auto left = target_->leftovers();
    return {core::Errc::cancelled,
            fmt::format("{} was not submitted: interrupted{}{}", job.plan.spec.name, left.empty() ? "" : "; ", left)};
  }

  // The second Ctrl-C: the user does not wait for the cleanup.
  [[noreturn]] void end_at_once(const PlannedJob& job) {
    const auto id = job.folder.id().str();
    if (const auto application = target_->maybe_submitted_as(); !application.empty()) {
      hooks_.say(fmt::format("interrupted again: {0} may have been submitted as {1}; `ydl kill {0}` stops it", id,
                             application));
    } else if (step_ == Step::start) {
      hooks_.say(fmt::format("interrupted again: `ydl status {}` shows whether the job started", id));
    } else {
      remove_folder(job.folder);
      hooks_.say(
          "interrupted again: the job is not submitted, and unfinished uploads may be left; `ydl env gc` removes "
          "them");
    }
    ::_exit(kInterrupted);
  }

  enum class Step { stage, submit, start, give_up };

  const LaunchOptions& options_;
  const LaunchHooks& hooks_;
  ClusterChoice choice_;
  spec::Settings settings_;
  net::asio::io_context context_{1};
  std::unique_ptr<LaunchTarget> target_;
  const Say say_ = [this](const std::string& line) { say(line); };  // for steps that may outlive their call
  std::optional<jobs::RestoreFolders> restore_;  // set by check() if the job continues from another one
  std::optional<Interruption> interruption_;
  Step step_ = Step::stage;
  int steps_ = 0;  // the number of steps that were run
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
    if (auto checked = launch.check_here(*plan); !checked) return fail(checked.error());
    hooks.show_plan(*plan, launch.choice());
    return 0;
  }
  if (auto checked = launch.check(*plan); !checked) return fail(checked.error());
  HeldSignals signals;
  auto folder = launch.make_folder(plan->spec);
  if (!folder) return fail(folder.error());
  const PlannedJob planned{*std::move(folder), *std::move(plan)};
  launch.begin_interruption(planned);
  if (auto staged = launch.stage(planned); !staged) return fail(staged.error());
  if (auto submitted = launch.submit(planned); !submitted) return fail(submitted.error());
  auto lifeline = launch.start(planned);
  if (!lifeline) return fail(lifeline.error());
  launch.end_interruption();
  if (options.detach) {
    hooks.detached(planned.folder.id().str());
    launch.tidy_up(planned);
    return 0;
  }
  launch.tidy_up(planned);
  return follow_job(planned.folder, {.mode = options.output,
                                     .part = Part::owner,
                                     .detail = options.detail,
                                     .show_logs = options.show_logs,
                                     .lifeline = *std::move(lifeline),
                                     .signals = std::move(signals)});
}

}  // namespace ydl::client

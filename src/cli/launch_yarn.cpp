#include "cli/cluster_client.hpp"
#include "cli/common.hpp"
#include "cli/default_env.hpp"
#include "cli/dry_run.hpp"
#include "cli/follow.hpp"
#include "cli/held_signals.hpp"
#include "cli/launch_parts.hpp"
#include "cli/python_env.hpp"
#include "cli/settings.hpp"
#include "cli/task_paths.hpp"
#include "cli/transfer_bar.hpp"
#include "cli/yarn_submit.hpp"
#include "master/plan.hpp"
#include "net/wait_for.hpp"
#include "spec/rules.hpp"

#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

using backend::MasterKind;

constexpr int kInterrupted = 130;

void forget(const master::JobFolder& folder) {
  std::error_code ignored;
  std::filesystem::remove_all(folder.root(), ignored);
}

// The second Ctrl-C: a person does not wait until what was begun is removed.
[[noreturn]] void end_at_once(const ClusterClient& cluster, const master::JobFolder& folder) {
  forget(folder);
  complain({core::Errc::cancelled, fmt::format("interrupted again: nothing was submitted; unfinished uploads may be "
                                               "left in {}{}, `ydl env gc` removes them",
                                               cluster.url_prefix, cluster.root)});
  ::_exit(kInterrupted);
}

}  // namespace

int launch_on_yarn(const RunOptions& options, spec::JobSpec spec, const Where& where) {
  if (auto checked = spec::check_job(spec); !checked) return complain(checked.error());
  if (auto image = check_node_managers_image(spec); !image) return complain(image.error());
  if (!options.dry_run) {
    if (auto scripts = check_scripts(spec); !scripts) return complain(scripts.error());
  }
  spec = with_scripts_shipped(std::move(spec));
  if (!options.dry_run) say(options, where.sentence);
  auto yarn = yarn_options(spec, options.yarn);
  const auto settings = load_settings();
  if (!settings) return complain(settings.error());
  yarn.settings = *settings;
  const auto by_default = default_env_of(spec);
  if (by_default) spec.python_env = by_default->name;
  if (spec.python_env && !options.dry_run) {
    const auto say_line = [&](const std::string& line) { say(options, line); };
    auto environment = by_default ? default_python_env(*by_default, say_line) : find_python_env(spec, say_line);
    if (!environment) return complain(environment.error());
    yarn.python_env = *std::move(environment);
    spec = with_interpreter(std::move(spec), std::string(backend::kPythonEnvInterpreter));
  }
  const auto plan = master::make_plan(spec, master::find_on_node);
  if (!plan) return complain(plan.error());
  if (options.dry_run) {
    print(wants_json(options.common) ? dry_run_json(*plan, where) : dry_run_text(*plan, where, output_style()));
    return 0;
  }
  for (const auto& note : options.notes) say(options, note);
  for (const auto& note : plan->notes) say(options, "note: " + note);
  for (const auto& note : outside_paths(spec)) say(options, "note: " + note);

  net::asio::io_context context(1);
  auto cluster = open_cluster(context.get_executor(), *where.hadoop);
  if (!cluster) return complain(cluster.error());
  auto facts = net::wait_for(context, check_cluster(*cluster, *plan, yarn));
  if (!facts) return complain(facts.error());
  for (const auto& note : facts->notes) say(options, "note: " + note);
  HeldSignals signals;
  const auto folder = make_job_folder(options, spec, where, [&](const master::JobFolder& made) {
    const auto results = results_folder(*cluster, yarn.results, made.id().str());
    return std::filesystem::path(cluster->url_prefix + results.value_or(""));
  });
  if (!folder) return complain(folder.error());
  TransferBar bar(options.common.output);
  const auto say_line = [&](const std::string& line) {
    bar.clear();
    say(options, line);
  };
  const auto show_progress = [&](const backend::StagingProgress& progress) {
    bar.show({progress.bytes, progress.bytes_done, progress.files, progress.files_done});
  };
  Interruption interruption(context.get_executor(), {.first = [&] { say_line("interrupted: the upload is stopped"); },
                                                     .second = [&] { end_at_once(*cluster, *folder); }});
  SubmitHooks hooks{
      .say = say_line, .show_progress = show_progress, .stop = interruption.token(), .before_submission = [&] {
        interruption.end();
      }};
  const auto job =
      net::wait_for(context, submit_to_yarn(*cluster, *folder, *plan, yarn, *std::move(facts), std::move(hooks)));
  interruption.end();
  bar.clear();
  cluster->close();
  if (!job) {
    forget(*folder);
    if (job.error().code != core::Errc::cancelled) return complain(job.error());
    complain({core::Errc::cancelled,
              fmt::format("{} was not submitted: interrupted; files whose upload was complete stay in the cache, {}",
                          spec.name, cluster->url_prefix + cluster->root)});
    return kInterrupted;
  }
  say(options, fmt::format("{} is {} in queue {}", folder->id().str(), job->application, job->queue));
  core::UniqueFd leash;
  if (job->kind == MasterKind::unmanaged) {
    auto started = start_master(*folder, options.detach);
    if (!started) return complain(started.error());
    leash = *std::move(started);
  }
  if (options.detach) {
    say_how_to_follow(options, folder->id().str());
    return 0;
  }
  return follow_job(*folder, {options.common.output, std::move(leash), std::move(signals)});
}

}  // namespace ydl::cli

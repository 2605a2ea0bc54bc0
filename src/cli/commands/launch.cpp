#include "cli/commands/launch.hpp"

#include "cli/commands/common.hpp"
#include "cli/commands/dry_run.hpp"
#include "client/launch.hpp"
#include "core/files.hpp"

#include <unistd.h>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

// On standard error, unless the output is for programs.
void say(const RunOptions& options, const std::string& line) {
  const bool quiet = options.common.output == ui::Mode::json || options.common.output == ui::Mode::quiet;
  if (!quiet) (void)core::write_all(STDERR_FILENO, line + "\n");
}

void say_how_to_follow(const RunOptions& options, const std::string& id) {
  say(options, fmt::format("`ydl follow {0}` shows it, `ydl kill {0}` stops it", id));
  print(wants_json(options.common) ? fmt::format("{{\"v\":1,\"type\":\"submitted\",\"job\":\"{}\"}}\n", id)
                                   : id + "\n");
}

client::LaunchOptions launch_options(const RunOptions& options) {
  return {.cluster = {options.common.cluster, options.resource_manager, options.default_fs, options.cluster_only},
          .output = options.common.output,
          .detach = options.detach,
          .dry_run = options.dry_run,
          .detail = options.detail,
          .show_logs = options.show_logs,
          .results = options.results,
          .port_range = options.port_range,
          .notes = options.notes};
}

}  // namespace

int launch_job(const RunOptions& options, spec::JobSpec spec) {
  client::LaunchHooks hooks;
  hooks.say = [&](const std::string& line) { say(options, line); };
  hooks.detached = [&](const std::string& id) { say_how_to_follow(options, id); };
  hooks.show_plan = [&](const master::JobPlan& plan, const client::ClusterChoice& choice) {
    const DryRun run{plan, choice, options.results};
    print(wants_json(options.common) ? dry_run_json(run) : dry_run_text(run, output_style()));
  };
  const auto code = client::launch(launch_options(options), std::move(spec), hooks);
  return code ? *code : complain(code.error());
}

}  // namespace ydl::cli

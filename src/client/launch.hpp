#pragma once

#include "client/cluster_choice.hpp"
#include "client/launch_target.hpp"
#include "core/result.hpp"
#include "master/plan.hpp"
#include "spec/job_spec.hpp"
#include "ui/display.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ydl::client {

// How to launch a job from the command line or from a file.
struct LaunchOptions {
  ClusterRequest cluster;
  ui::Mode output = ui::Mode::automatic;
  bool detach = false;
  bool dry_run = false;
  ui::Detail detail = ui::Detail::gang;
  std::string show_logs;  // whose lines are shown while the job is followed; empty: as is usual for the output
  std::string results;    // empty: the job's folder
  std::optional<std::pair<std::uint16_t, std::uint16_t>> port_range;
  std::vector<std::string> notes;  // shown before the job starts
};

// The callbacks from a launch to its command.
struct LaunchHooks {
  Say say;  // shows a sentence to the user
  // Shows the plan of a dry run.
  std::function<void(const master::JobPlan&, const ClusterChoice&)> show_plan;
  // Called when the job continues without this client.
  std::function<void(const std::string& id)> detached;
};

// Launches a job, with the same steps for all clusters: choose a cluster, plan, check, stage, submit, follow. Returns
// the exit code of the job, or 0 if it was left running. Errors: those of the steps; cancelled, if the user interrupted
// it before the job was submitted.
[[nodiscard]] core::Result<int> launch(const LaunchOptions& options, spec::JobSpec job, const LaunchHooks& hooks);

}  // namespace ydl::client

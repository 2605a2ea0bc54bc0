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

// How a job is launched, whether the command line or a file describes it.
struct LaunchOptions {
  ClusterRequest cluster;
  ui::Mode output = ui::Mode::automatic;
  bool detach = false;
  bool dry_run = false;
  std::string results;  // empty: in the job's folder
  std::optional<std::pair<std::uint16_t, std::uint16_t>> port_range;
  std::vector<std::string> notes;  // shown before the job starts
};

// How a launch speaks to the command that runs it.
struct LaunchHooks {
  Say say;  // for people
  // The plan of a dry run.
  std::function<void(const master::JobPlan&, const ClusterChoice&)> show_plan;
  // The job runs on without this client.
  std::function<void(const std::string& id)> detached;
};

// Launches a job, in the same steps wherever it runs: choose a cluster, plan, check, stage, submit, follow. Returns the
// exit code: the job's own, or 0 when it was left running.
// Errors: those of the steps; cancelled when the user interrupted it before the job was submitted.
[[nodiscard]] core::Result<int> launch(const LaunchOptions& options, spec::JobSpec job, const LaunchHooks& hooks);

}  // namespace ydl::client

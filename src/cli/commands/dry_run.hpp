#pragma once

#include "client/cluster_choice.hpp"
#include "master/plan.hpp"
#include "ui/line.hpp"

#include <string>

namespace ydl::cli {

struct DryRun {
  const master::JobPlan& plan;
  const client::ClusterChoice& where;
  const std::string& results;  // --results, or empty
};

// What `--dry-run` shows: where the job would run, its roles and resources, the command, interpreter and environment of
// its tasks. Hosts are this machine, ports are examples.
[[nodiscard]] std::string dry_run_text(const DryRun& run, const ui::Style& style);
[[nodiscard]] std::string dry_run_json(const DryRun& run);

}  // namespace ydl::cli

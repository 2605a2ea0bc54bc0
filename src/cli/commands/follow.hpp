#pragma once

#include "cli/args/commands.hpp"
#include "client/held_signals.hpp"
#include "core/files.hpp"
#include "jobs/job_folder.hpp"

#include <optional>

namespace ydl::cli {

struct FollowOptions {
  ui::Mode mode = ui::Mode::automatic;
  core::UniqueFd leash;         // of the master this command started: closing it stops the job
  client::HeldSignals signals;  // let go of as soon as they are handled here
};

// Shows a running job until it ends, or until the user leaves it. Returns the exit code: the job's own, or 0 when it
// was left running.
[[nodiscard]] int follow_job(const jobs::JobFolder& folder, FollowOptions options);

}  // namespace ydl::cli

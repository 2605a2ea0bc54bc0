#pragma once

#include "client/held_signals.hpp"
#include "core/files.hpp"
#include "core/result.hpp"
#include "jobs/job_folder.hpp"
#include "ui/display.hpp"

namespace ydl::client {

struct FollowOptions {
  ui::Mode mode = ui::Mode::automatic;
  core::UniqueFd lifeline;  // of the master this command started: closing it stops the job
  HeldSignals signals;      // let go of as soon as they are handled here
};

// Shows a running job until it ends, or until the user leaves it. Returns the exit code: the job's own, or 0 when it
// was left running. Errors: where the job runs cannot be read.
[[nodiscard]] core::Result<int> follow_job(const jobs::JobFolder& folder, FollowOptions options);

}  // namespace ydl::client

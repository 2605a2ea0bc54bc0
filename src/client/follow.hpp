#pragma once

#include "client/held_signals.hpp"
#include "core/files.hpp"
#include "core/result.hpp"
#include "jobs/job_folder.hpp"
#include "ui/display.hpp"

#include <string>

namespace ydl::client {

// What leaving the job means for it.
enum class Part {
  owner,    // of a job that this command started: it may be stopped, or left running
  watcher,  // of a job that runs without this command: leaving it changes nothing
};

struct FollowOptions {
  ui::Mode mode = ui::Mode::automatic;
  Part part = Part::owner;
  ui::Detail detail = ui::Detail::gang;
  std::string show_logs;    // --show-logs; empty: as is usual for the mode
  core::UniqueFd lifeline;  // of the master this command started: closing it stops the job
  HeldSignals signals;      // let go of as soon as they are handled here
};

// Shows a job until it ends, or until the user leaves it. Returns the exit code: the job's own; when it was left
// running 0, of a watcher 130. Errors: where the job runs cannot be read; usage (--show-logs).
[[nodiscard]] core::Result<int> follow_job(const jobs::JobFolder& folder, FollowOptions options);

}  // namespace ydl::client

#pragma once

#include "jobs/job_folder.hpp"

namespace ydl::jobs {

// What the lock of a job's folder shows about a master on this machine.
enum class MasterTrace {
  none,       // the folder was never locked: no master has started here, or it runs in a container
  lives,      // the master, or the client that is about to start it, holds the lock
  gone,       // the lock is free and was taken since this machine booted, so the process has ended
  elsewhere,  // the lock is free, but was taken on another machine or before this one was restarted
};
[[nodiscard]] MasterTrace trace_of_master(const JobFolder& folder);

// The lock of the folder, which the parent process took and passed to this one as `descriptor`. Nothing if the
// descriptor is not open or is another file.
[[nodiscard]] core::UniqueFd handed_lock(const JobFolder& folder, int descriptor);

// Removes incomplete files that a killed master has left in the job's folder. Nothing is removed unless the master has
// certainly ended.
void remove_unfinished_files(const JobFolder& folder);

}  // namespace ydl::jobs

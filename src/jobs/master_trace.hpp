#pragma once

#include "jobs/job_folder.hpp"

namespace ydl::jobs {

// What a job's folder tells of a master that runs, or ran, beside it.
enum class MasterTrace {
  none,       // the folder was never locked: no master has started here, or it runs in a container
  lives,      // it, or the client that is about to start it, holds the lock
  gone,       // the lock is free, and was taken since this machine started: the process has ended
  elsewhere,  // the lock is free here, and was taken on another machine or before this one was restarted
};
[[nodiscard]] MasterTrace trace_of_master(const JobFolder& folder);

// The folder's lock that the process which started this one took and handed over as `descriptor`. Nothing where that is
// something else, or nothing.
[[nodiscard]] core::UniqueFd handed_lock(const JobFolder& folder, int descriptor);

// Removes what a master that was killed while it wrote a file has left in the job's folder. Where the master is not
// surely gone, nothing is removed.
void remove_unfinished_files(const JobFolder& folder);

}  // namespace ydl::jobs

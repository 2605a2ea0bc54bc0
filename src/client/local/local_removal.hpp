#pragma once

#include "client/job_removal.hpp"

namespace ydl::client {

// check_removable() and remove_job() for what this machine keeps of a job: all of one that ran here, the records and
// fetched logs of one that ran on a cluster.
[[nodiscard]] core::Result<RemovableJob> check_removable_here(const jobs::JobFolder& folder,
                                                              const std::vector<RestoreUse>& uses);
[[nodiscard]] core::Result<> remove_folder_here(const jobs::JobFolder& folder);

}  // namespace ydl::client

#pragma once

#include "client/job_removal.hpp"

namespace ydl::client {

// check_removable() for a job on a cluster, and the deletion of its folder on HDFS. Errors: those of the cluster, too.
[[nodiscard]] core::Result<RemovableJob> check_removable_there(const jobs::JobFolder& folder,
                                                               const std::vector<RestoreUse>& uses);
[[nodiscard]] core::Result<> remove_folder_there(const jobs::JobFolder& folder);

}  // namespace ydl::client

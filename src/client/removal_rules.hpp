#pragma once

#include "client/job_removal.hpp"
#include "core/error.hpp"
#include "jobs/folder_deletion.hpp"

#include <string>
#include <vector>

// When a job may be deleted: what holds on this machine and on a cluster alike.
namespace ydl::client {

[[nodiscard]] core::Error still_runs(const std::string& id);

// For a job about which nothing tells whether its master still runs. Errors: refused, if it has changed lately.
[[nodiscard]] core::Result<> check_is_settled(const std::string& id, const jobs::FolderContent& content);

// `own`: the folders that would be deleted, as jobs that continue from them name them; empty: stays. Errors: refused.
[[nodiscard]] core::Result<> check_unused(const std::string& id, const jobs::RestoreFolders& own,
                                          const std::vector<RestoreUse>& uses);

}  // namespace ydl::client

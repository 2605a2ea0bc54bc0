#pragma once

#include "agent/master_lease.hpp"
#include "core/ids.hpp"
#include "hdfs/file_system.hpp"
#include "net/asio.hpp"

#include <string>
#include <string_view>

namespace ydl::agent {

// Looks into the job's folder on HDFS: whether revoked/ID is there, and where master.json says that the master is. A
// file that cannot be read or understood names no master; only where it is unknown whether the agent was revoked the
// folder counts as unreadable. The master removes master.json when the job has ended, after it has written the final
// state.json: together they say that the job is over, and so does a folder that is not there. `fs` outlives the call.
[[nodiscard]] net::awaitable<FolderLook> look_at_job_folder(hdfs::FileSystem& fs, std::string folder, core::AgentId id);

// Whether the content of state.json is the state of a job that has ended.
[[nodiscard]] bool says_that_job_is_over(std::string_view state);

}  // namespace ydl::agent

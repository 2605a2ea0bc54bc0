#pragma once

#include "agent/master_lease.hpp"
#include "core/ids.hpp"
#include "hdfs/file_system.hpp"
#include "net/asio.hpp"

#include <string>

namespace ydl::agent {

// Looks into the job's folder on HDFS: whether revoked/ID is there, and where master.json says that the master is. A
// file that cannot be read or understood names no master; only where it is unknown whether the agent was revoked the
// folder counts as unreadable. `fs` outlives the call.
[[nodiscard]] net::awaitable<FolderLook> look_at_job_folder(hdfs::FileSystem& fs, std::string folder, core::AgentId id);

}  // namespace ydl::agent

#pragma once

#include "agent/master_lease.hpp"
#include "core/ids.hpp"
#include "hdfs/file_system.hpp"
#include "net/asio.hpp"

#include <string>
#include <string_view>

namespace ydl::agent {

// Checks in the job's folder on HDFS whether revoked/ID exists, and reads the address of the master from master.json.
// If master.json cannot be read or parsed, there is no known master. The folder counts as unreadable only if it is
// unknown whether the agent was revoked. A job is over if its folder is missing, or if master.json is missing and
// state.json is final: the master writes the final state.json first and then removes master.json. `fs` outlives the
// call.
[[nodiscard]] net::awaitable<FolderLook> look_at_job_folder(hdfs::FileSystem& fs, std::string folder, core::AgentId id);

// Whether this content of state.json is a final state.
[[nodiscard]] bool says_that_job_is_over(std::string_view state);

}  // namespace ydl::agent

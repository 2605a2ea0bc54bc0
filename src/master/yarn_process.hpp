#pragma once

#include "master/process.hpp"

namespace ydl::master {

// An ApplicationMaster in a container: "yarn-container". The container's credentials say what it has to run
// (master_ticket.hpp); its words go to standard error, whose end the ResourceManager shows.
[[nodiscard]] const ProcessKind& yarn_container_master();

// An unmanaged ApplicationMaster, in a process beside the client: "yarn-unmanaged".
[[nodiscard]] const ProcessKind& yarn_unmanaged_master();

}  // namespace ydl::master

#pragma once

#include "master/process.hpp"

namespace ydl::master {

// An ApplicationMaster in a container: "yarn-container". The credentials of the container name its job
// (master_ticket.hpp). It writes messages to standard error, and the ResourceManager shows the end of that.
[[nodiscard]] const ProcessKind& yarn_container_master();

// An unmanaged ApplicationMaster, in a process on the client's host: "yarn-unmanaged".
[[nodiscard]] const ProcessKind& yarn_unmanaged_master();

}  // namespace ydl::master

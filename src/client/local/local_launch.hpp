#pragma once

#include "client/launch_target.hpp"

#include <memory>

namespace ydl::client {

// Jobs on this machine: tasks use the user's own files, and the master is a process on the same machine.
[[nodiscard]] std::unique_ptr<LaunchTarget> make_local_launch();

}  // namespace ydl::client

#pragma once

#include "client/launch_target.hpp"

#include <memory>

namespace ydl::client {

// Jobs of this machine: tasks see the user's own files, and the master is a process beside the client.
[[nodiscard]] std::unique_ptr<LaunchTarget> make_local_launch();

}  // namespace ydl::client

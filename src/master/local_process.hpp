#pragma once

#include "master/process.hpp"

namespace ydl::master {

// The master of a job whose tasks run on this machine: "local".
[[nodiscard]] const ProcessKind& local_master();

}  // namespace ydl::master

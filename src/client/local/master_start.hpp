#pragma once

#include "core/files.hpp"
#include "core/result.hpp"
#include "jobs/job_folder.hpp"
#include "master/process.hpp"
#include "net/asio.hpp"

#include <functional>

namespace ydl::client {

struct MasterStart {
  const master::ProcessKind& kind;
  master::Attachment attachment = master::Attachment::attached;
  core::UniqueFd lock = {};  // of the job's folder, if it was locked before the master starts
};

// Starts the job's master as a process of this machine and waits until it listens; calls `meanwhile` while it starts.
// Returns the pipe whose end tells the master that this client has ended. Errors: refused, with the master's own
// message; io, if it ended without one.
[[nodiscard]] net::Async<core::UniqueFd> start_master(jobs::JobFolder folder, MasterStart start,
                                                      std::function<void()> meanwhile = {});

}  // namespace ydl::client

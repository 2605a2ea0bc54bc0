#pragma once

#include "client/yarn/remote_job.hpp"
#include "jobs/master_trace.hpp"
#include "yarn/records.hpp"

#include <functional>
#include <optional>
#include <string>

// Jobs whose master ran on the client's host (`--am unmanaged`) and was killed. By default the ResourceManager would
// wait 10 minutes for such a master (yarn.am.liveness-monitor.expiry-interval-ms) and report a running job. So the
// client that finds that the master has ended kills the application and records the end of the job.
namespace ydl::client {

// The facts about a job on this machine.
struct MasterlessFacts {
  std::string id;
  std::string user;  // the user who submitted it
  backend::MasterKind kind = backend::MasterKind::unmanaged;
  jobs::MasterTrace master = jobs::MasterTrace::none;
  std::optional<core::JobState> recorded = std::nullopt;  // its final state, if the master could write it
  bool has_endpoint = false;  // master.json exists, which a master removes last when it ends by itself
};

// Whether to ask the ResourceManager, because the application of the job may still exist. Pure.
[[nodiscard]] bool may_be_masterless(const MasterlessFacts& facts);

enum class MasterlessStep {
  leave,
  kill,      // kill the application and record the end of the job
  note_end,  // the application has ended: only record the end of the job
};
// `user` is the current user. An application is only killed if it belongs to this job and this user and its master has
// certainly ended. Pure.
[[nodiscard]] MasterlessStep masterless_step(const MasterlessFacts& facts, const std::string& user,
                                             const yarn::AppReport& report);

// The final state of such a job. `report`: that of an application that had already ended; nothing if it was killed now.
// Pure.
[[nodiscard]] jobs::StateFile masterless_end(jobs::StateFile before, const backend::YarnJob& job,
                                             const std::optional<yarn::AppReport>& report, core::WallTime now);

using TellKill = std::function<void(const std::string& sentence)>;

// Kills the application of a job whose master has ended, and records the end. Does nothing for other jobs. Errors:
// those of the ResourceManager, with the consequence; timed_out.
[[nodiscard]] net::Async<> end_masterless(RemoteJob& job, TellKill tell);

// The same for all jobs of this user that were submitted to the currently configured cluster. Without such jobs the
// ResourceManager is not called. If it does not answer, the next command tries again.
void end_masterless_jobs(const TellKill& tell);

}  // namespace ydl::client

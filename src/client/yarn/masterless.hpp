#pragma once

#include "client/yarn/remote_job.hpp"
#include "jobs/master_trace.hpp"
#include "yarn/records.hpp"

#include <functional>
#include <optional>
#include <string>

// Jobs whose master ran beside its client (`--am unmanaged`) and was killed. The ResourceManager would wait for such a
// master for 10 minutes by its defaults (yarn.am.liveness-monitor.expiry-interval-ms) and report a job that runs; so
// the client that finds the master gone kills the application and records the job's end.
namespace ydl::client {

// What this machine knows of a job.
struct MasterlessFacts {
  std::string id;
  std::string user;  // who submitted it
  backend::MasterKind kind = backend::MasterKind::unmanaged;
  jobs::MasterTrace master = jobs::MasterTrace::none;
  std::optional<core::JobState> recorded = std::nullopt;  // its end, where the master could write it
  bool has_endpoint = false;  // master.json is there: a master that ends by itself removes it as its last deed
};

// Whether the ResourceManager is worth asking: something of the job may be left there. Pure.
[[nodiscard]] bool may_be_masterless(const MasterlessFacts& facts);

enum class MasterlessStep {
  leave,
  kill,      // and record the job's end
  note_end,  // the application is over: what is left is to record it
};
// `user`: who asks. Nothing is killed but an application of this job and this user whose master has surely ended. Pure.
[[nodiscard]] MasterlessStep masterless_step(const MasterlessFacts& facts, const std::string& user,
                                             const yarn::AppReport& report);

// How such a job ended. `report`: of an application that was over before; nothing: it was killed for this. Pure.
[[nodiscard]] jobs::StateFile masterless_end(jobs::StateFile before, const backend::YarnJob& job,
                                             const std::optional<yarn::AppReport>& report, core::WallTime now);

using TellKill = std::function<void(const std::string& sentence)>;

// Ends what is left of a job whose master is gone and records its end; of any other job there is nothing to do. Errors:
// those of the ResourceManager, with what follows from them; timed_out.
[[nodiscard]] net::Async<> end_masterless(RemoteJob& job, TellKill tell);

// The same for all jobs in the folders of this user that were submitted to the cluster that is configured now. Where
// there is none, nothing is asked. A ResourceManager that cannot be asked is asked by the next command.
void end_masterless_jobs(const TellKill& tell);

}  // namespace ydl::client

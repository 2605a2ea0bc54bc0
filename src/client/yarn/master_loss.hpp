#pragma once

#include "client/master_contact.hpp"
#include "core/clock.hpp"
#include "core/error.hpp"
#include "yarn/records.hpp"

#include <cstdint>
#include <optional>
#include <string>

// Interprets the ResourceManager's report of an application for a client: whether the job's master was lost and is
// restarted. Pure.
//
//    RUNNING, attempt n ──master lost──> ACCEPTED, attempt n+1 ──it registers──> RUNNING, attempt n+1
//            └──────────the last attempt that the cluster allows──────────────> FAILED
namespace ydl::client {

// Whether a retry would not help after this error of the ResourceManager, because the ticket has expired.
[[nodiscard]] bool is_refusal(const core::Error& error);

// Whether the job has lost a master and has no new one yet.
[[nodiscard]] bool is_between_masters(const yarn::AppReport& report);

// Evidence about the master that last answered. `attempt` is that of the application at that time.
enum class KnownAddress { same, another };  // the address in master.json, compared with the one that was called
[[nodiscard]] MasterEvidence evidence_of(const yarn::AppReport& report, std::int32_t attempt, KnownAddress address);

// For commands that read a job's files but do not call its master: reports once for each lost master that a new one is
// awaited.
class MasterWatch {
 public:
  [[nodiscard]] std::optional<std::string> saw(const yarn::AppReport& report);

 private:
  std::int32_t told_ = 0;  // the attempt that was reported as awaited
};

// A stop that a master has accepted. If that master is lost, it may not have stored the stop, so the new master gets it
// again. A new master answers some time after it has registered.
class RepeatedStop {
 public:
  enum class Next {
    wait,
    ask,      // send the stop; then taken(), if the master has answered
    give_up,  // it does not answer
  };
  [[nodiscard]] Next saw(const yarn::AppReport& report, core::Instant now);
  void taken();

 private:
  std::int32_t asked_ = 0;      // the attempt whose master has accepted it
  std::int32_t seen_ = 0;       // the newest attempt
  core::Instant registered_{};  // when that one registered
};

}  // namespace ydl::client

#pragma once

#include "client/master_contact.hpp"
#include "core/clock.hpp"
#include "core/error.hpp"
#include "yarn/records.hpp"

#include <cstdint>
#include <optional>
#include <string>

// What the ResourceManager's report of an application tells a client about the job's master, which may be lost and
// started again. Pure.
//
//    RUNNING, attempt n ──master lost──> ACCEPTED, attempt n+1 ──it registers──> RUNNING, attempt n+1
//            └──────────the last attempt that the cluster allows──────────────> FAILED
namespace ydl::client {

// An error of the ResourceManager after which asking again is of no use: our ticket has ended.
[[nodiscard]] bool is_refusal(const core::Error& error);

// The job has lost a master and has no other one yet.
[[nodiscard]] bool is_between_masters(const yarn::AppReport& report);

// Of the master that a client last had an answer from. `attempt`: of the application, at that time.
enum class KnownAddress { same, another };  // that master.json has now, compared with the one that was asked
[[nodiscard]] MasterEvidence evidence_of(const yarn::AppReport& report, std::int32_t attempt, KnownAddress address);

// For commands that read a job's files and not its master: says once for each lost master that another is awaited.
class MasterWatch {
 public:
  [[nodiscard]] std::optional<std::string> saw(const yarn::AppReport& report);

 private:
  std::int32_t told_ = 0;  // the attempt that is awaited
};

// A stop that a master has taken. If that master is lost it may have written nothing down: the next one is asked again.
// It answers some time after it has registered.
class RepeatedStop {
 public:
  enum class Next {
    wait,
    ask,      // then taken(), if the master has answered
    give_up,  // it does not answer
  };
  [[nodiscard]] Next saw(const yarn::AppReport& report, core::Instant now);
  void taken();

 private:
  std::int32_t asked_ = 0;      // the attempt whose master has taken it
  std::int32_t seen_ = 0;       // the newest one
  core::Instant registered_{};  // of that one
};

}  // namespace ydl::client

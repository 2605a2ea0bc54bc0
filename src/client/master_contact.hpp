#pragma once

#include "core/clock.hpp"
#include "core/error.hpp"

#include <optional>
#include <string>

namespace ydl::client {

// What is known of a job's master apart from its own answers: on this machine its lock says whether the process is
// there, on YARN the ResourceManager knows whether the application is over.
enum class MasterEvidence {
  running,
  over,
  unknown,  // the ResourceManager did not answer either
  refused,  // the ResourceManager does not accept who we are: our ticket has ended
};

// Decides what a client does whose calls to the job's master fail. Pure: time is an argument.
//
//                 call fails, not over
//    connected ───────────────────────────> silent: asks again, after kNoticeAfter it is said
//        ^   └── answer ──┐                    │  │
//        └────────────────┴───── answer ───────┘  ├── evidence of its end ──> over
//                                                 └── it or the ResourceManager refuses us ──> give_up
//
// A call that fails proves nothing: a master that is slow, stopped or behind a broken network goes on with its job.
class MasterContact {
 public:
  static constexpr core::Millis kNoticeAfter = core::Seconds(15);
  static constexpr core::Millis kFirstPause{100};
  static constexpr core::Millis kLongestPause{2'000};

  enum class Witness { process, resource_manager };  // where evidence comes from

  MasterContact(Witness witness, core::Instant now) : witness_(witness), last_answer_(now) {}

  struct Next {
    enum class Kind { ask_again, over, give_up } kind = Kind::ask_again;  // give_up: asking again is of no use
    core::Millis pause{0};                                                // before it is asked again
  };

  // An answer came. Returns what the user should be told: that a silence has ended.
  [[nodiscard]] std::optional<std::string> answered(core::Instant now);
  // A call failed.
  [[nodiscard]] Next failed(MasterEvidence evidence, const core::Error& why);
  // What the user should be told by now, once for each silence.
  [[nodiscard]] std::optional<std::string> notice(core::Instant now);

 private:
  Witness witness_;
  core::Instant last_answer_;
  core::Millis pause_ = kFirstPause;
  MasterEvidence evidence_ = MasterEvidence::unknown;  // as of the last failed call
  std::string why_;                                    // the last call failed
  bool noticed_ = false;
};

}  // namespace ydl::client

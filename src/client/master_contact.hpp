#pragma once

#include "core/clock.hpp"
#include "core/error.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace ydl::client {

// What is known of a job's master apart from its own answers: on this machine its lock says whether the process is
// there, on YARN the ResourceManager knows whether the application is over.
enum class MasterEvidence {
  running,
  gone,      // the ResourceManager starts another one, which has no address yet
  replaced,  // by another one, whose address is known
  over,
  unknown,  // the ResourceManager did not answer either
  refused,  // the ResourceManager does not accept who we are: our ticket has ended
};

inline constexpr std::string_view kMasterGone = "the job's master is gone; waiting for another";

// Decides what a client does whose calls to the job's master fail. Pure: time is an argument.
//
//                 call fails, not over
//    connected ───────────────────────────> silent: asks again, after kNoticeAfter it is said
//        ^   └── answer ──┐                    │  ├── evidence of its loss ──> gone: said once; looks for another
//        ├────────────────┴───── answer ───────┘  │                             │  │
//        │                                        ├── evidence of its end ──> over │
//        │                                        └── it or the RM refuses us ──> give_up
//        └────────────────────── another master answers ───────────────────────────┘
//
// A call that fails proves nothing: a master that is slow, stopped or behind a broken network goes on with its job.
// A master that has answered before is not given up because somebody else answers at its address: its port may belong
// to another process once it is gone.
class MasterContact {
 public:
  static constexpr core::Millis kNoticeAfter = core::Seconds(15);
  static constexpr core::Millis kFirstPause{100};
  static constexpr core::Millis kLongestPause{2'000};

  enum class Witness { process, resource_manager };  // where evidence comes from

  MasterContact(Witness witness, core::Instant now) : witness_(witness), last_answer_(now) {}

  struct Next {
    enum class Kind {
      ask_again,
      look_again,  // there is nobody to ask: look for evidence again
      over,
      give_up,  // asking again is of no use
    } kind = Kind::ask_again;
    core::Millis pause{0};  // before it is asked, or looked for, again
  };

  // An answer came. Returns what the user should be told: that a silence has ended, or that there is another master.
  [[nodiscard]] std::optional<std::string> answered(core::Instant now);
  // A call failed.
  [[nodiscard]] Next failed(MasterEvidence evidence, const core::Error& why);
  // What the user should be told by now, once for each silence, and once for each loss.
  [[nodiscard]] std::optional<std::string> notice(core::Instant now);

 private:
  Witness witness_;
  core::Instant last_answer_;
  core::Millis pause_ = kFirstPause;
  MasterEvidence evidence_ = MasterEvidence::unknown;  // as of the last failed call
  std::string why_;                                    // the last call failed
  bool has_answered_ = false;                          // at any time
  bool noticed_ = false;
  bool gone_ = false;  // there was evidence of its loss since the last answer
  bool gone_told_ = false;
};

}  // namespace ydl::client

#pragma once

#include "core/clock.hpp"
#include "core/error.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace ydl::client {

// Evidence about a job's master other than its own answers: on this machine its lock shows whether the process runs, on
// YARN the ResourceManager reports whether the application has ended.
enum class MasterEvidence {
  running,
  gone,      // the ResourceManager is starting a new master, which has no address yet
  replaced,  // there is a new master with a known address
  over,
  unknown,  // the ResourceManager did not answer either
  refused,  // the ResourceManager does not accept this user's credentials: the ticket has expired
};

inline constexpr std::string_view kMasterGone = "the job's master is gone; waiting for another";

// Decides what a client does if its calls to the job's master fail. Pure: time is an argument.
//
//                 call fails, not over
//    connected ───────────────────────────> silent: retries; after kNoticeAfter the user is told
//        ^   └── answer ──┐                    │  ├── evidence of its loss ──> gone: told once; looks for another
//        ├────────────────┴───── answer ───────┘  │                             │  │
//        │                                        ├── evidence of its end ──> over │
//        │                                        └── it or the RM refuses us ──> give_up
//        └────────────────────── another master answers ───────────────────────────┘
//
// A failed call does not prove that the master has ended: it may be slow, suspended or behind a broken network. If
// another program answers at the address of a master that has answered before, this does not give up either: once the
// master has ended, its port may belong to another process.
class MasterContact {
 public:
  static constexpr core::Millis kNoticeAfter = core::Seconds(15);
  static constexpr core::Millis kFirstPause{100};
  static constexpr core::Millis kLongestPause{2'000};

  enum class Witness { process, resource_manager };  // the source of evidence

  MasterContact(Witness witness, core::Instant now) : witness_(witness), last_answer_(now) {}

  struct Next {
    enum class Kind {
      ask_again,
      look_again,  // there is no master to call: look for evidence again
      over,
      give_up,  // a retry would not help
    } kind = Kind::ask_again;
    core::Millis pause{0};  // before the next call or look
  };

  // An answer arrived. Returns a message for the user, if a silence has ended or there is a new master.
  [[nodiscard]] std::optional<std::string> answered(core::Instant now);
  // A call failed.
  [[nodiscard]] Next failed(MasterEvidence evidence, const core::Error& why);
  // The current message for the user, once for each silence and once for each loss.
  [[nodiscard]] std::optional<std::string> notice(core::Instant now);

 private:
  Witness witness_;
  core::Instant last_answer_;
  core::Millis pause_ = kFirstPause;
  MasterEvidence evidence_ = MasterEvidence::unknown;  // as of the last failed call
  std::string why_;                                    // why the last call failed
  bool has_answered_ = false;                          // whether there ever was an answer
  bool noticed_ = false;
  bool gone_ = false;  // there was evidence of a loss since the last answer
  bool gone_told_ = false;
};

}  // namespace ydl::client

#pragma once

#include "core/clock.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

// Decides whether a master of the job still needs this agent. Pure: time is an argument.
//
//   heard ──a call fails──> unheard: look at the job's folder ──a master answers──> heard
//                             │ ├─ a master of a higher epoch is in the folder: say hello to it
//                             │ └─ this agent is not revoked, and the folder names the same master: continue
//                             └─ revoked, the job is over, or unknown for too long ──> give up
//
// An agent that hears no master gives up at most 45 s after its revocation was written to the folder, whatever state
// HDFS is in. A look counts from its beginning, because the revocation may be written while the look is in progress.
namespace ydl::agent {

// The address of a master of the job, as the job's folder names it.
struct MasterPlace {
  std::string address;
  std::uint16_t port = 0;
  std::int64_t epoch = 0;

  bool operator==(const MasterPlace&) const = default;
};

// The result of a look at the job's folder.
struct FolderState {
  bool is_revoked = false;
  std::optional<MasterPlace> master;  // nothing if the folder names none
  bool is_over = false;               // the job has ended, or its folder was removed
};
struct Unreadable {
  std::string why;
};
using FolderLook = std::variant<FolderState, Unreadable>;

class MasterLease {
 public:
  struct Options {
    core::Millis outlives_master{0};  // how long the tasks continue without a master
    bool has_folder = false;          // false: there is no folder to look at, and no other master will take over
  };

  // What the agent must do now. Look and SayHello must end in `within`; after that, call next() again.
  struct Wait {
    core::Millis at_most{0};
    bool operator==(const Wait&) const = default;
  };
  struct Look {
    core::Millis within{0};
    bool operator==(const Look&) const = default;
  };
  struct SayHello {
    MasterPlace master;
    core::Millis within{0};
    bool operator==(const SayHello&) const = default;
  };
  struct GiveUp {
    std::string why;  // one sentence for users
    bool operator==(const GiveUp&) const = default;
  };
  using Action = std::variant<Wait, Look, SayHello, GiveUp>;

  // The agent starts and has not heard a master yet.
  MasterLease(Options options, core::Instant now) : options_(options), last_known_(now) {}

  // A master of this epoch answered, and the agent obeys it.
  void heard(core::Instant now, std::int64_t epoch);
  // A call failed, or another program answered.
  void unheard(core::Instant now, std::string why);
  // The look that began at that time has ended.
  void looked(core::Instant began, FolderLook look);

  // What to do while the agent hears no master.
  [[nodiscard]] Action next(core::Instant now);

  [[nodiscard]] bool hears_master() const { return !unheard_since_; }

 private:
  [[nodiscard]] std::optional<std::string> why_give_up(core::Instant now) const;
  [[nodiscard]] core::Millis outlives_master() const;
  [[nodiscard]] core::Instant gives_up_at() const;

  Options options_;
  std::int64_t epoch_ = 0;  // of the master that the agent obeys; 0: none yet
  // When it was last certain that a master needs the agent: when one was heard, or when a look began that found no
  // revocation.
  core::Instant last_known_;
  std::optional<core::Instant> unheard_since_;
  std::string why_unheard_;
  std::optional<core::Instant> last_look_;  // when it began; unset while a master is heard
  std::string why_unreadable_;              // of the last look
  std::optional<MasterPlace> successor_;    // found by the last look, and not called yet
  bool is_revoked_ = false;
  bool is_over_ = false;
};

}  // namespace ydl::agent

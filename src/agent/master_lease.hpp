#pragma once

#include "core/clock.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

// Does a master of the job still stand behind this agent? Pure: time is an argument.
//
//   heard ──a call fails──> unheard: look at the job's folder ──a master answers──> heard
//                             │ ├─ a master of a higher epoch is in the folder: say hello to it
//                             │ └─ this agent is not revoked, and the same master is in the folder: go on
//                             └─ revoked, the job is over, or nothing known for too long ──> give up
//
// Its promise: an agent that hears no master gives up at most 45 s after its revocation was written to the folder,
// whatever HDFS does. A look counts from its beginning, because the revocation may be written while it is under way.
namespace ydl::agent {

// Where a master of the job is, as the job's folder says.
struct MasterPlace {
  std::string address;
  std::uint16_t port = 0;
  std::int64_t epoch = 0;

  bool operator==(const MasterPlace&) const = default;
};

// What a look at the job's folder found.
struct FolderState {
  bool is_revoked = false;
  std::optional<MasterPlace> master;  // nothing: the folder does not say
  bool is_over = false;               // the job has ended, or its folder was removed
};
struct Unreadable {
  std::string why;
};
using FolderLook = std::variant<FolderState, Unreadable>;

class MasterLease {
 public:
  struct Options {
    core::Millis outlives_master{0};  // how long the tasks go on without a master
    bool has_folder = false;          // false: there is nothing to look at, and no other master will come
  };

  // What is to be done now. Look and SayHello have to end in `within`; then next() is asked again.
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
    std::string why;  // one sentence for people
    bool operator==(const GiveUp&) const = default;
  };
  using Action = std::variant<Wait, Look, SayHello, GiveUp>;

  // The agent starts, and has not heard any master yet.
  MasterLease(Options options, core::Instant now) : options_(options), last_known_(now) {}

  // A master of this epoch answered, and the agent obeys it.
  void heard(core::Instant now, std::int64_t epoch);
  // A call failed, or somebody else answered.
  void unheard(core::Instant now, std::string why);
  // The look that began then has ended.
  void looked(core::Instant began, FolderLook look);

  // What to do while no master is heard. While one is heard there is nothing to do.
  [[nodiscard]] Action next(core::Instant now);

  [[nodiscard]] bool hears_master() const { return !unheard_since_; }

 private:
  [[nodiscard]] std::optional<std::string> why_give_up(core::Instant now) const;
  [[nodiscard]] core::Millis outlives_master() const;
  [[nodiscard]] core::Instant gives_up_at() const;

  Options options_;
  std::int64_t epoch_ = 0;  // of the master that is obeyed; 0: none yet
  // When it was last known that a master stands behind the agent: one was heard, or a look that found no revocation
  // began.
  core::Instant last_known_;
  std::optional<core::Instant> unheard_since_;
  std::string why_unheard_;
  std::optional<core::Instant> last_look_;  // when it began; since no master is heard
  std::string why_unreadable_;              // of the last look
  std::optional<MasterPlace> successor_;    // found by the last look, and not called yet
  bool is_revoked_ = false;
  bool is_over_ = false;
};

}  // namespace ydl::agent

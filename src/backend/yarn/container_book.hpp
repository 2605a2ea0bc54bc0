#pragma once

#include "job/types.hpp"
#include "protocol/commands.hpp"
#include "yarn/image_runtime.hpp"
#include "yarn/records.hpp"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ydl::backend {

// How far a container has come with its attempt.
enum class Phase {
  starting,  // asked of its NodeManager; its agent has not said that all is prepared
  placed,    // the attempt has its place, and may run there
  ended,     // the attempt is over; the container only has to go
};

// A container and the one attempt it is for.
struct Held {
  protocol::Prepare request;
  yarn::Container container;
  Phase phase = Phase::starting;
  int failures = 0;          // containers that came to nothing for this attempt before
  core::Instant since = {};  // when the container came
  bool is_overdue = false;   // somebody was told that it takes long
};

// Which attempts wait for a container, and which has which. Pure.
class ContainerBook {
 public:
  void wait(protocol::Prepare request, int failures = 0);
  // The attempt of this role that waits longest gets it; nothing when none waits.
  Held* assign(const std::string& role, yarn::Container container, core::Instant now);

  // Whether it was waiting.
  bool stop_waiting(const core::AttemptId& attempt);
  [[nodiscard]] Held* find(const core::AttemptId& attempt);
  [[nodiscard]] Held* find(const yarn::ContainerId& id);
  void erase(const yarn::ContainerId& id);

  [[nodiscard]] std::vector<core::AttemptId> waiting(const std::string& role) const;
  [[nodiscard]] std::map<yarn::ContainerId, Held>& held() { return held_; }

 private:
  struct Waiting {
    protocol::Prepare request;
    int failures = 0;
  };
  std::map<std::string, std::deque<Waiting>> waiting_;  // by role
  std::map<yarn::ContainerId, Held> held_;
  std::map<core::AttemptId, yarn::ContainerId> container_of_;  // the newest of each attempt
};

// What the end of a container means for its attempt.
struct ContainerEnd {
  enum class Meaning {
    nothing,       // the attempt was over before
    try_again,     // no fault of the attempt: it gets another container
    cannot_place,  // it would end so again
    exited,        // the attempt has failed of itself
    lost,          // whatever it did, it is gone
  };
  Meaning meaning = Meaning::nothing;
  std::string reason = {};    // one sentence, with the cluster's own words
  job::ExitStatus exit = {};  // of `exited`
  job::Cause cause = job::Cause::none;
  bool blames_the_host = false;  // a container elsewhere may fare better
};

inline constexpr int kMostFailedContainers = 3;  // for one attempt, before it is the attempt's fault

[[nodiscard]] ContainerEnd what_it_means(const Held& held, const yarn::ContainerStatus& status);

// What may be wrong with an image whose agent never said a word: ": ..." or nothing.
[[nodiscard]] std::string image_hint(const yarn::ImageRuntime& image, int exit_status);

}  // namespace ydl::backend

#pragma once

#include "core/ids.hpp"
#include "job/types.hpp"
#include "master/launch_places.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace ydl::master {

// Holds what the job's state machine has decided until it may be carried out. Pure.
//
// A decision is carried out, and people see its events, when the event that led to it is in the store: what another
// master replays is then what was done and shown. The exceptions are safe because no other master follows:
//
//   the store            decisions
//   writes               wait until their event is written
//   is away              wait until it writes again; those of a job that ends do not wait while the cluster's scheduler
//                        answers, which is told of the end and starts no other master
//   is broken, for a     do not wait, unless they launch a task or ask for a place: then the job has to end
//   (needs_store) definite reason
//
// A launch that is not written is never carried out: another master would launch the task a second time. A job that
// ends drops it.
class DecisionGate {
 public:
  enum class Store { writes, away, broken };
  struct Decision {
    std::vector<job::Action> actions;
    LaunchPlaces::Changes places = {};             // as the machine saw them when it wanted to launch
    job::JobState state = job::JobState::placing;  // of the job afterwards
    bool starts_all = false;
    bool takes_over = false;
    // Filled in by the gate.
    std::uint64_t after = 0;                    // the number of the event
    std::vector<core::AttemptId> dropped = {};  // launches that are not carried out
  };

  // What follows from the next event that the store was given. Events are numbered from 1.
  void add(Decision decision);
  void written(std::uint64_t events);
  [[nodiscard]] bool has_written(std::uint64_t event) const { return event <= written_; }
  void store_is(Store store) { store_ = store; }
  void job_ends() { ends_ = true; }
  void scheduler_answers() { scheduler_answers_ = true; }
  void scheduler_is_silent() { scheduler_answers_ = false; }

  // The next decision that may be carried out.
  [[nodiscard]] std::optional<Decision> next();
  // Orders to stop that a job which ends need not hold back: a task that stops too early harms nobody. Tasks that the
  // waiting decisions launch or adopt are left out.
  [[nodiscard]] std::vector<job::Stop> early_stops();
  // The attempt that cannot be launched or placed because the store is broken: the job has to end.
  [[nodiscard]] std::optional<core::AttemptId> needs_store() const;
  // Decisions wait for a store that is away: until they are carried out no deadline of a task counts.
  [[nodiscard]] bool is_held() const { return store_ == Store::away && !may_end(); }
  [[nodiscard]] bool is_broken() const { return store_ == Store::broken; }
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

 private:
  [[nodiscard]] bool may_end() const {
    return ends_ && (store_ == Store::broken || (store_ == Store::away && scheduler_answers_));
  }
  [[nodiscard]] bool may_go(const Decision& decision) const;

  std::deque<Decision> waiting_;
  std::uint64_t added_ = 0;
  std::uint64_t written_ = 0;
  Store store_ = Store::writes;
  bool ends_ = false;
  bool scheduler_answers_ = true;
  job::JobState last_state_ = job::JobState::placing;  // of the decision that was added last
};

}  // namespace ydl::master

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

// Holds the decisions of the job's state machine until they may be carried out. Pure.
//
// A decision is carried out, and its events are shown to users, once the event that led to it is stored. So another
// master replays exactly what was done and shown. The exceptions are safe because no other master follows:
//
//   the store            decisions
//   writes               wait until their event is stored
//   is away              wait until it writes again; those of an ending job do not wait while the cluster's scheduler
//                        answers, because it is told of the end and starts no other master
//   is broken            do not wait, unless they launch a task or request a container: then the job must end
//                        (needs_store)
//
// A launch that is not stored is never carried out, because another master would launch the task a second time. If the
// job ends, the launch is dropped.
class DecisionGate {
 public:
  enum class Store { writes, away, broken };
  struct Decision {
    std::vector<job::Action> actions;
    LaunchPlaces::Changes places = {};             // as they were when the machine decided to launch
    job::JobState state = job::JobState::placing;  // the state of the job afterwards
    bool starts_all = false;
    bool takes_over = false;
    // Filled in by the gate.
    std::uint64_t after = 0;                    // the number of the event
    std::vector<core::AttemptId> dropped = {};  // launches that were dropped
  };

  // Adds the decision for the next event in the store. Events are numbered from 1.
  void add(Decision decision);
  void written(std::uint64_t events);
  [[nodiscard]] bool has_written(std::uint64_t event) const { return event <= written_; }
  void store_is(Store store) { store_ = store; }
  void job_ends() { ends_ = true; }
  void scheduler_answers() { scheduler_answers_ = true; }
  void scheduler_is_silent() { scheduler_answers_ = false; }

  // The next decision that may be carried out.
  [[nodiscard]] std::optional<Decision> next();
  // Stops that an ending job may send before their event is stored, because stopping a task early does no harm. Tasks
  // that waiting decisions launch or adopt are excluded.
  [[nodiscard]] std::vector<job::Stop> early_stops();
  // The attempt that cannot be launched or placed because the store is broken; the job must then end.
  [[nodiscard]] std::optional<core::AttemptId> needs_store() const;
  // Whether decisions wait for a store that is away. Until they are carried out, deadlines of tasks do not count.
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
  job::JobState last_state_ = job::JobState::placing;  // the state after the last added decision
};

}  // namespace ydl::master

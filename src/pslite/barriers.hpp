#pragma once

#include "pslite/roster.hpp"
#include "pslite/scheduler_types.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ydl::pslite {

// The nodes that wait at each barrier. They are counted by node and not by message, so that a repeated request or a
// dead participant cannot open a barrier too early. Also knows the members of each barrier and what passing it means.
class Barriers {
 public:
  // Each kvstore of a process is a separate "customer" with its own barriers.
  struct Key {
    int group = 0;
    std::int32_t customer = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Barrier {
    std::set<NodeId> entered = {};
    std::int32_t app_id = 0;
    Instant since = {};
    bool told = false;  // its stall was reported
  };
  enum class Passed { some, last };  // last: the second barrier of all nodes, which ends the job
  struct Opened {
    Barrier barrier;
    Passed passed = Passed::some;
  };

  void enter(Key key, NodeId node, std::int32_t app_id, Instant now);
  // Removes a dead node from all barriers.
  void withdraw(NodeId node);
  // Opens a barrier: removes it and returns the nodes that waited there.
  [[nodiscard]] Opened open(Key key);

  [[nodiscard]] std::vector<Key> keys() const;
  // Whether all members are waiting.
  [[nodiscard]] bool is_complete(Key key, const Roster& roster) const;
  // Why the waiting nodes would wait forever; nothing while all missing members can still arrive.
  [[nodiscard]] std::optional<std::string> why_broken(Key key, const Roster& roster) const;

  // Sentences about barriers that have waited this long; each is returned once.
  [[nodiscard]] std::vector<std::string> new_stalls(const Roster& roster, Instant now, Millis stall_after);
  // The time of the next such sentence.
  [[nodiscard]] std::optional<Instant> next_stall(Millis stall_after) const;

  [[nodiscard]] bool started() const { return started_; }    // the start barrier of all nodes was passed
  [[nodiscard]] bool training() const { return training_; }  // the workers passed their first own barrier

 private:
  [[nodiscard]] std::vector<const NodeRecord*> members(Key key, const Roster& roster) const;

  std::map<Key, Barrier> waiting_;
  bool started_ = false;
  bool training_ = false;
};

}  // namespace ydl::pslite

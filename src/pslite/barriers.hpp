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

// Who stands at which barrier, by node and not by number of messages: a repeated request and a participant that died
// cannot make a barrier open too early. Says who is needed at one, and what the barriers passed so far mean.
class Barriers {
 public:
  // Each kvstore of a process is a customer of its own and has its own barriers.
  struct Key {
    int group = 0;
    std::int32_t customer = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Barrier {
    std::set<NodeId> entered = {};
    std::int32_t app_id = 0;
    Instant since = {};
    bool told = false;  // that it stalls
  };
  enum class Passed { some, last };  // the last one: the barrier of all, the second time
  struct Opened {
    Barrier barrier;
    Passed passed = Passed::some;
  };

  void enter(Key key, NodeId node, std::int32_t app_id, Instant now);
  // The node died: where it stands it stands no more.
  void withdraw(NodeId node);
  // Opens it: hands out who stood there and forgets it.
  [[nodiscard]] Opened open(Key key);

  [[nodiscard]] std::vector<Key> keys() const;
  // Whether all that are needed stand there.
  [[nodiscard]] bool is_complete(Key key, const Roster& roster) const;
  // Why those who stand there would wait for ever; nothing as long as all that they need can come.
  [[nodiscard]] std::optional<std::string> why_broken(Key key, const Roster& roster) const;

  // Sentences about barriers that have waited for this long; each is told once.
  [[nodiscard]] std::vector<std::string> new_stalls(const Roster& roster, Instant now, Millis stall_after);
  // When the next of them is to be told.
  [[nodiscard]] std::optional<Instant> next_stall(Millis stall_after) const;

  [[nodiscard]] bool started() const { return started_; }    // the start barrier of all was passed
  [[nodiscard]] bool training() const { return training_; }  // the workers passed a barrier of their own

 private:
  [[nodiscard]] std::vector<const NodeRecord*> members(Key key, const Roster& roster) const;

  std::map<Key, Barrier> waiting_;
  bool started_ = false;
  bool training_ = false;
};

}  // namespace ydl::pslite

#pragma once

#include "pslite/scheduler_types.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace ydl::pslite {

// Who stands at which barrier, by node and not by number of messages: a repeated request and a participant that died
// cannot make a barrier open too early.
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

  Barrier& enter(Key key, NodeId node, std::int32_t app_id, Instant now);
  // The node died: where it stands it stands no more.
  void withdraw(NodeId node);
  // Opens it: hands out who stood there and forgets it.
  [[nodiscard]] Barrier open(Key key);

  [[nodiscard]] std::map<Key, Barrier>& waiting() { return waiting_; }
  [[nodiscard]] const std::map<Key, Barrier>& waiting() const { return waiting_; }

 private:
  std::map<Key, Barrier> waiting_;
};

}  // namespace ydl::pslite

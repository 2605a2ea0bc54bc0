#pragma once

#include "pslite/roster.hpp"
#include "pslite/scheduler_types.hpp"

#include <optional>
#include <vector>

namespace ydl::pslite {

// Notices nodes that send heartbeats and then stop.
class Heartbeats {
 public:
  // 0: nobody is missed.
  explicit Heartbeats(Millis timeout) : timeout_(timeout) {}

  void heard(NodeRecord& node, Instant now);
  // Those that have become silent; their state says so from now on. Nothing when it is not time to look.
  [[nodiscard]] std::optional<std::vector<NodeRecord*>> look(Roster& roster, Instant now);
  [[nodiscard]] std::optional<Instant> next_deadline() const { return next_; }

 private:
  Millis timeout_;
  std::optional<Instant> next_;
};

}  // namespace ydl::pslite

#pragma once

#include "pslite/roster.hpp"
#include "pslite/scheduler_types.hpp"

#include <optional>
#include <vector>

namespace ydl::pslite {

// Detects nodes that sent heartbeats and then stopped.
class Heartbeats {
 public:
  // 0 disables the detection.
  explicit Heartbeats(Millis timeout) : timeout_(timeout) {}

  void heard(NodeRecord& node, Instant now);
  // Sets the state of nodes that have become silent, and returns them. Nothing if it is not yet time to check.
  [[nodiscard]] std::optional<std::vector<NodeRecord*>> look(Roster& roster, Instant now);
  [[nodiscard]] std::optional<Instant> next_deadline() const { return next_; }

 private:
  Millis timeout_;
  std::optional<Instant> next_;
};

}  // namespace ydl::pslite

#pragma once

#include "core/ids.hpp"
#include "job/types.hpp"

#include <map>

namespace ydl::agent {

// What a scheduler was told about the job's nodes. A restarted master repeats all of it, but the scheduler must be told
// each fact only once: a node that is expected again counts as a new one that has not ended. Pure.
class ToldNodes {
 public:
  // Whether the attempt is newer than those expected so far.
  [[nodiscard]] bool expect(const core::AttemptId& node) {
    auto& told = nodes_[node.task];
    if (node.attempt <= told.expected) return false;
    told.expected = node.attempt;
    told.ended = 0;
    return true;
  }

  // The same for the end of an attempt; `next` may change once, from unknown to a decision.
  [[nodiscard]] bool end(const core::AttemptId& node, job::MemberEnded::Next next) {
    auto& told = nodes_[node.task];
    const bool is_decided = next != job::MemberEnded::Next::unknown;
    if (node.attempt < told.expected || node.attempt < told.ended) return false;
    if (node.attempt == told.ended && (told.is_decided || !is_decided)) return false;
    told.ended = node.attempt;
    told.is_decided = is_decided;
    return true;
  }

 private:
  // Numbers of attempts; 0 means none.
  struct Told {
    int expected = 0;
    int ended = 0;
    bool is_decided = false;
  };
  std::map<core::TaskId, Told> nodes_;
};

}  // namespace ydl::agent

#pragma once

#include "core/ids.hpp"
#include "job/types.hpp"

#include <map>

namespace ydl::agent {

// What a scheduler was told of the job's nodes. A master that was restarted says all of it again, and the scheduler
// must hear each thing once: a node that it expects anew counts as one that has not ended. Pure.
class ToldNodes {
 public:
  // Whether this attempt is news, and no older than what is known.
  [[nodiscard]] bool expect(const core::AttemptId& node) {
    auto& told = nodes_[node.task];
    if (node.attempt <= told.expected) return false;
    told.expected = node.attempt;
    told.ended = 0;
    return true;
  }

  // The same for an attempt's end. What follows is decided once.
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
  // Numbers of attempts; 0: none.
  struct Told {
    int expected = 0;
    int ended = 0;
    bool is_decided = false;
  };
  std::map<core::TaskId, Told> nodes_;
};

}  // namespace ydl::agent

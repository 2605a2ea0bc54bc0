#pragma once

#include "job/types.hpp"

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace ydl::job {

// The hosts that a job avoids by the rules of its Blacklist, and why it avoids them.
class AvoidedHosts {
 public:
  explicit AvoidedHosts(Blacklist rules) : rules_(rules) {}

  // An attempt failed there; `what` is a clause: "worker:1 failed with exit code 1". Returns whether the host is
  // avoided from now on, and was not before.
  [[nodiscard]] bool failed(const std::string& node, Cause cause, std::string what, Instant now);
  // Removes the hosts whose time is over, and returns them.
  [[nodiscard]] std::vector<std::string> forget(Instant now);
  // Removes the host that has been avoided longest, and returns it. Returns "" if no host is avoided, and in strict
  // mode.
  [[nodiscard]] std::string relax();

  [[nodiscard]] bool contains(const std::string& node) const;
  [[nodiscard]] const std::vector<AvoidedHost>& list() const { return avoided_; }
  [[nodiscard]] Blacklist::Mode mode() const { return rules_.mode; }
  [[nodiscard]] std::optional<Instant> next_deadline() const;
  // "node1 (worker:0 failed with exit code 1), node2 (2 containers lost)"
  [[nodiscard]] std::string describe() const;

 private:
  struct Fault {
    Instant at;
    Cause cause;
  };
  void avoid(const std::string& node, std::optional<Instant> until, std::string reason);

  Blacklist rules_;
  std::map<std::string, std::deque<Fault>> faults_;  // of hosts that are not avoided yet
  std::vector<AvoidedHost> avoided_;                 // the one avoided longest comes first
};

}  // namespace ydl::job

#pragma once

#include "core/clock.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

// Decides which connections are accepted or dropped, and how much memory calls may use. Pure.
namespace ydl::http {

using ConnectionId = std::uint64_t;

// The server's connections. A connection is unauthenticated until a call on it had a valid key. The number of
// unauthenticated connections is limited; a further one replaces the oldest, so that connections that only wait cannot
// block others: a caller with a key sends it as soon as it is connected. Authenticated connections are not limited and
// never dropped.
//
// When many agents start at once, all of them are unauthenticated for a moment. While such connections send keys, a
// further one has to wait until it is accepted, instead of replacing another one. If none has sent a key for kQuiet, or
// most of the last ones had no key, they are not agents.
class ConnectionTable {
 public:
  static constexpr core::Millis kQuiet = core::Seconds(2);
  static constexpr core::Millis kLongestWait = core::Seconds(5);  // for the key of the oldest one

  explicit ConnectionTable(std::size_t max_unauthenticated)
      : max_unauthenticated_(max_unauthenticated), trust_(max_unauthenticated) {}

  // The time until which no connection should be accepted, unless an unauthenticated one sends a key or is closed;
  // nothing: accept immediately.
  [[nodiscard]] std::optional<core::Instant> hold_until(core::Instant now) const;

  struct Admission {
    ConnectionId id = 0;
    std::optional<ConnectionId> dropped = std::nullopt;  // a connection that must be closed now
  };
  [[nodiscard]] Admission admit(core::Instant now);
  void showed_key(ConnectionId id, core::Instant now);
  void left(ConnectionId id);
  // The same for a connection with the key of a guest (gate.hpp). It does not change the trust in the others.
  void guest_left(ConnectionId id) { unauthenticated_.erase(id); }

  [[nodiscard]] std::size_t unauthenticated() const { return unauthenticated_.size(); }

 private:
  std::size_t max_unauthenticated_;
  std::size_t trust_;  // grows with each key, shrinks with each connection that ends without one
  ConnectionId last_ = 0;
  // the time of each connection; ids increase, so the first is the oldest
  std::map<ConnectionId, core::Instant> unauthenticated_;
  core::Instant last_key_{};  // time of the last new key, or of the first connection
};

// Limits the memory of all bodies that are being read or handled.
class BodyBudget {
 public:
  explicit BodyBudget(std::size_t total) : left_(total), total_(total) {}

  // Returns false if not enough is left now. More than the whole budget is always refused.
  [[nodiscard]] bool take(std::size_t bytes);
  void give_back(std::size_t bytes);
  [[nodiscard]] std::size_t taken() const { return total_ - left_; }

 private:
  std::size_t left_;
  std::size_t total_;
};

}  // namespace ydl::http

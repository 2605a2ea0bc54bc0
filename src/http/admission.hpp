#pragma once

#include "core/clock.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

// Who may connect, who is dropped, and how much memory calls may take. Pure.
namespace ydl::http {

using ConnectionId = std::uint64_t;

// The server's connections. One is a stranger until a call on it had a right key. There is room for a number of
// strangers; a further one takes the room of the oldest, so that connections that only wait keep nobody out: a caller
// with a key shows it as soon as it is connected. Connections with a key are not limited and never dropped.
//
// Many agents that start at once are all strangers for a moment. As long as strangers show keys, a further one waits to
// be accepted instead of taking the room of another; where none has shown a key for kQuiet, or most of the last ones
// had none, they are not agents.
class ConnectionBook {
 public:
  static constexpr core::Millis kQuiet = core::Seconds(2);
  static constexpr core::Millis kLongestWait = core::Seconds(5);  // of the oldest, for its key

  explicit ConnectionBook(std::size_t max_strangers) : max_strangers_(max_strangers), trust_(max_strangers) {}

  // Until when nobody should be accepted, unless a stranger shows a key or leaves; nothing: at once.
  [[nodiscard]] std::optional<core::Instant> hold_until(core::Instant now) const;

  struct Admission {
    ConnectionId id = 0;
    std::optional<ConnectionId> dropped = std::nullopt;  // must be closed now
  };
  [[nodiscard]] Admission admit(core::Instant now);
  void showed_key(ConnectionId id, core::Instant now);
  void left(ConnectionId id);
  // The same of one whose key was a guest's (gate.hpp): it says nothing about the others.
  void guest_left(ConnectionId id) { strangers_.erase(id); }

  [[nodiscard]] std::size_t strangers() const { return strangers_.size(); }

 private:
  std::size_t max_strangers_;
  std::size_t trust_;  // grows with each key, shrinks with each stranger that leaves without one
  ConnectionId last_ = 0;
  std::map<ConnectionId, core::Instant> strangers_;  // since when; numbers rise, so the oldest is the first
  core::Instant last_key_{};                         // shown by a stranger, or when the first one came
};

// The memory of all bodies that are being read or handled.
class BodyBudget {
 public:
  explicit BodyBudget(std::size_t total) : left_(total), total_(total) {}

  // False: there is not enough left now. What is larger than the whole budget can never be had.
  [[nodiscard]] bool take(std::size_t bytes);
  void give_back(std::size_t bytes);
  [[nodiscard]] std::size_t taken() const { return total_ - left_; }

 private:
  std::size_t left_;
  std::size_t total_;
};

}  // namespace ydl::http

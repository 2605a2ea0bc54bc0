#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

// Who may connect, who is dropped, and how much memory calls may take. Pure.
namespace ydl::http {

using ConnectionId = std::uint64_t;

// The server's connections. One is a stranger until a call on it had a right key. There is room for a number of
// strangers; a further one takes the room of the oldest, so that connections that only wait keep nobody out: a caller
// with a key shows it as soon as it is connected. Connections with a key are not limited and never dropped.
class ConnectionBook {
 public:
  explicit ConnectionBook(std::size_t max_strangers) : max_strangers_(max_strangers) {}

  struct Admission {
    ConnectionId id = 0;
    std::optional<ConnectionId> dropped = std::nullopt;  // must be closed now
  };
  [[nodiscard]] Admission admit();
  void showed_key(ConnectionId id) { strangers_.erase(id); }
  void left(ConnectionId id) { strangers_.erase(id); }

  [[nodiscard]] std::size_t strangers() const { return strangers_.size(); }

 private:
  std::size_t max_strangers_;
  ConnectionId last_ = 0;
  std::set<ConnectionId> strangers_;  // numbers rise, so the oldest is the first
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

#pragma once

#include "pslite/scheduler_types.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ydl::pslite {

// A new node that cannot join yet, because all nodes of its role are registered.
struct Newcomer {
  LinkId link{};
  Node node;
  Instant deadline{};
};

// The nodes that wait until they can replace another one, in order of arrival.
class Newcomers {
 public:
  static constexpr std::size_t kMost = 64;

  [[nodiscard]] bool full() const { return waiting_.size() == kMost; }
  void add(Newcomer newcomer) { waiting_.push_back(std::move(newcomer)); }
  void forget(LinkId link);

  // Removes and returns the first one that can join.
  [[nodiscard]] std::optional<Newcomer> take_first(const std::function<bool(const Newcomer&)>& can_join);
  // Removes and returns those that have waited too long.
  [[nodiscard]] std::vector<Newcomer> take_expired(Instant now);
  [[nodiscard]] std::vector<Newcomer> take_all();
  [[nodiscard]] std::optional<Instant> next_deadline() const;

 private:
  std::vector<Newcomer> waiting_;
};

// What is wrong with a registration; nothing if it is valid.
[[nodiscard]] std::optional<std::string> objection_to(const Control& registration);

}  // namespace ydl::pslite

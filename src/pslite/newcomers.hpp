#pragma once

#include "pslite/scheduler_types.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ydl::pslite {

// A node for which no place is free (yet).
struct Newcomer {
  LinkId link{};
  Node node;
  Instant deadline{};
};

// The nodes that wait for a place, in the order in which they came.
class Newcomers {
 public:
  static constexpr std::size_t kMost = 64;

  [[nodiscard]] bool full() const { return waiting_.size() == kMost; }
  void add(Newcomer newcomer) { waiting_.push_back(std::move(newcomer)); }
  void forget(LinkId link);

  // The first for which there is a place; it waits no longer.
  [[nodiscard]] std::optional<Newcomer> take_first(const std::function<bool(const Newcomer&)>& has_place);
  // Those who waited too long.
  [[nodiscard]] std::vector<Newcomer> take_expired(Instant now);
  [[nodiscard]] std::vector<Newcomer> take_all();
  [[nodiscard]] std::optional<Instant> next_deadline() const;

 private:
  std::vector<Newcomer> waiting_;
};

// Nothing when a registration can be taken, else what is wrong with it.
[[nodiscard]] std::optional<std::string> objection_to(const Control& registration);

}  // namespace ydl::pslite

#include "protocol/attempt_facts.hpp"

#include <algorithm>
#include <ranges>
#include <variant>

namespace ydl::protocol {
namespace {

// The last report of each kind is a fact about an attempt; it replaces the report before it.
enum class Kind { none, preparation, start, start_failure, silence, output, saving, end, scheduler };

struct KindOf {
  Kind operator()(const Prepared&) const { return Kind::preparation; }
  Kind operator()(const PrepareFailed&) const { return Kind::preparation; }
  Kind operator()(const TaskStarted&) const { return Kind::start; }
  Kind operator()(const TaskStartFailed&) const { return Kind::start_failure; }
  Kind operator()(const TaskSilent&) const { return Kind::silence; }
  Kind operator()(const TaskWrites&) const { return Kind::silence; }
  Kind operator()(const TaskOutput&) const { return Kind::output; }
  Kind operator()(const TaskSaving&) const { return Kind::saving; }
  Kind operator()(const TaskExited&) const { return Kind::end; }
  Kind operator()(const SchedulerBroken&) const { return Kind::scheduler; }
  Kind operator()(const auto&) const { return Kind::none; }
};

Kind kind_of(const Report& report) {
  return std::visit(KindOf{}, report);
}

// Once a task has ended, its silence and its saving are over. That it was started still matters.
bool is_over_with(Kind end, Kind kind) {
  return end == Kind::end && (kind == Kind::silence || kind == Kind::saving);
}

const core::AttemptId& attempt_of(const Report& report) {
  return std::visit([](const auto& one) -> const core::AttemptId& { return one.attempt; }, report);
}

}  // namespace

std::vector<core::AttemptId> AttemptFacts::held() const {
  const auto attempts = facts_ | std::views::keys;
  return {attempts.begin(), attempts.end()};
}

void AttemptFacts::note(const Report& report) {
  const auto kind = kind_of(report);
  const auto found = facts_.find(attempt_of(report));
  if (kind == Kind::none || found == facts_.end()) return;
  std::erase_if(found->second,
                [&](const Report& fact) { return kind_of(fact) == kind || is_over_with(kind, kind_of(fact)); });
  found->second.push_back(report);
}

bool AttemptFacts::covers(const Report& report) const {
  return kind_of(report) != Kind::none && facts_.contains(attempt_of(report));
}

std::vector<Report> AttemptFacts::restated() const {
  std::vector<Report> all;
  for (const auto& facts : facts_ | std::views::values) all.insert(all.end(), facts.begin(), facts.end());
  return all;
}

}  // namespace ydl::protocol

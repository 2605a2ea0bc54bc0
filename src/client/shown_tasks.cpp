#include "client/shown_tasks.hpp"

#include "core/roles.hpp"
#include "core/strings.hpp"
#include "framework/framework.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace ydl::client {
namespace {

// Whether the role's success decides about the job, as the job says or else its framework.
bool decides(const spec::JobSpec& job, const spec::Role& role) {
  if (role.kind) return *role.kind == core::Named(core::RoleKind::decider).name();
  const auto framework = framework::find(job.framework);
  if (!framework) return true;
  framework::Shape shape;
  for (const auto& one : job.roles)
    shape.roles.push_back({.name = one.name, .count = one.count, .is_elastic = one.least.has_value()});
  return (*framework)->traits(shape, role.name).kind == core::RoleKind::decider;
}

core::TaskId first_decider(const spec::JobSpec& job) {
  const auto found = std::ranges::find_if(job.roles, [&](const spec::Role& role) { return decides(job, role); });
  return {found == job.roles.end() ? "worker" : found->name, 0};
}

bool has_one_task(const spec::JobSpec& job) {
  return job.roles.size() == 1 && job.roles.front().count == 1 && !job.roles.front().least;
}

}  // namespace

core::Result<ShownTasks> ShownTasks::of(std::string_view wanted, const spec::JobSpec& job, ui::Mode mode) {
  ShownTasks shown;
  shown.task_ = first_decider(job);
  if (wanted.empty()) wanted = mode == ui::Mode::quiet ? "none" : mode == ui::Mode::tty ? "first" : "all";
  if (wanted == "none") return shown;
  const auto role = std::ranges::find(job.roles, wanted, &spec::Role::name);
  if (role != job.roles.end()) {
    shown.kind_ = Kind::role;
    shown.role_ = role->name;
  } else if (wanted == "all") {
    shown.kind_ = Kind::all;
  } else if (wanted == "first") {
    shown.kind_ = Kind::task;
  } else {
    std::vector<std::string_view> words{"none", "first", "all"};
    for (const auto& one : job.roles) words.emplace_back(one.name);
    return core::fail(core::Errc::usage, fmt::format("--show-logs {}: choose one of {}{}", core::printable(wanted),
                                                     fmt::join(words, ", "), core::did_you_mean(wanted, words)));
  }
  if (has_one_task(job)) shown.kind_ = Kind::task;
  shown.is_unchanged_ = mode == ui::Mode::tty && has_one_task(job);
  return shown;
}

bool ShownTasks::has(const core::TaskId& task) const {
  switch (kind_) {
    case Kind::none:
      return false;
    case Kind::task:
      return task == task_;
    case Kind::role:
      return task.role == role_;
    case Kind::all:
      return true;
  }
  return true;
}

}  // namespace ydl::client

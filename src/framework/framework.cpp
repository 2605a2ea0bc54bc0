#include "framework/framework.hpp"

#include "core/assert.hpp"
#include "core/strings.hpp"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::framework {

int Shape::count(std::string_view role) const {
  const auto found = std::ranges::find(roles, role, &Role::name);
  return found == roles.end() ? 0 : found->count;
}

const Gang::Member& Gang::member(const core::TaskId& id) const {
  const auto found = std::ranges::find(members, id, &Member::id);
  YDL_ASSERT(found != members.end());
  return *found;
}

int Gang::count(std::string_view role) const {
  return static_cast<int>(
      std::ranges::count(members, role, [](const Member& m) { return std::string_view(m.id.role); }));
}

core::Result<const Framework*> find(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto* framework : all()) {
    if (framework->name() == name) return framework;
    names.push_back(framework->name());
  }
  return core::fail(core::Errc::usage, fmt::format("'{}' is no framework ydl knows{} (it knows {})", name,
                                                   core::did_you_mean(name, names), fmt::join(names, ", ")));
}

core::Result<void> check(const Framework& framework, const Shape& shape) {
  const auto known = framework.roles();
  for (const auto& role : shape.roles) {
    if (known.empty() || std::ranges::find(known, role.name) != known.end()) continue;
    return core::fail(core::Errc::usage, fmt::format("{} has no role '{}'{} (it has {})", framework.name(), role.name,
                                                     core::did_you_mean(role.name, known), fmt::join(known, ", ")));
  }
  return framework.validate(shape);
}

Environment common_environment(const Gang& gang) {
  boost::json::object tasks;
  for (const auto& member : gang.members) {
    auto& list = tasks[member.id.role];
    if (!list.is_array()) list.emplace_array();
    boost::json::array ports(member.ports.begin(), member.ports.end());
    list.as_array().push_back(boost::json::object{{"host", member.host}, {"ports", std::move(ports)}});
  }
  return {{"YDL_JOB_ID", gang.job_id}, {"YDL_TASKS_JSON", boost::json::serialize(tasks)}};
}

Environment task_environment(const Gang& gang, const core::TaskId& task) {
  return {
      {"YDL_ROLE", task.role},
      {"YDL_INDEX", std::to_string(task.index)},
      {"YDL_PORTS", fmt::format("{}", fmt::join(gang.member(task).ports, ","))},
  };
}

std::string address(const Gang::Member& member) {
  YDL_ASSERT(!member.ports.empty());
  return fmt::format("{}:{}", member.host, member.ports.front());
}

}  // namespace ydl::framework

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

bool Shape::is_elastic(std::string_view role) const {
  const auto found = std::ranges::find(roles, role, &Role::name);
  return found != roles.end() && found->is_elastic;
}

// This runs once for each task of a gang, so it must not search all members: a gang may have thousands.
std::span<const Gang::Member> Gang::of_role(std::string_view role) const {
  for (auto first = members.begin(); first != members.end();) {
    const auto& name = first->id.role;
    const auto last = std::partition_point(first, members.end(), [&](const Member& m) { return m.id.role == name; });
    if (name == role) return {first, last};
    first = last;
  }
  return {};
}

const Gang::Member* Gang::find(const core::TaskId& id) const {
  const auto role = of_role(id.role);
  const auto found = std::ranges::lower_bound(role, id.index, {}, [](const Member& member) { return member.id.index; });
  return found != role.end() && found->id == id ? &*found : nullptr;
}

const Gang::Member& Gang::member(const core::TaskId& id) const {
  const auto* const found = find(id);
  YDL_ASSERT(found != nullptr);
  return *found;
}

const Gang::Member& Gang::first(std::string_view role) const {
  const auto members_of_role = of_role(role);
  YDL_ASSERT(!members_of_role.empty());
  return members_of_role.front();
}

int Gang::index(const core::TaskId& id) const {
  return member(id).index.value_or(id.index);
}

int Gang::count(std::string_view role) const {
  return static_cast<int>(of_role(role).size());
}

core::Result<const Framework*> find(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto* framework : all()) {
    if (framework->name() == name) return framework;
    names.push_back(framework->name());
  }
  return core::fail(core::Errc::usage, fmt::format("unknown framework '{}'{} (available: {})", core::printable(name),
                                                   core::did_you_mean(name, names), fmt::join(names, ", ")));
}

bool has_role(const Framework& framework, std::string_view role) {
  const auto known = framework.roles();
  return known.empty() || std::ranges::find(known, role) != known.end();
}

core::Result<void> check(const Framework& framework, const Shape& shape) {
  const auto known = framework.roles();
  for (const auto& role : shape.roles) {
    if (has_role(framework, role.name)) continue;
    return core::fail(
        core::Errc::usage,
        fmt::format("{} has no role '{}'{} (available: {}; a role of 'kind: side' may have any name)", framework.name(),
                    role.name, core::did_you_mean(role.name, known), fmt::join(known, ", ")));
  }
  return framework.validate(shape);
}

std::string tasks_json(const Gang& gang) {
  boost::json::object tasks;
  for (const auto& member : gang.members) {
    auto& list = tasks[member.id.role];
    if (!list.is_array()) list.emplace_array();
    boost::json::array ports(member.ports.begin(), member.ports.end());
    list.as_array().push_back(boost::json::object{{"host", member.host}, {"ports", std::move(ports)}});
    if (member.index) list.as_array().back().as_object()["index"] = *member.index;
  }
  return boost::json::serialize(tasks);
}

Environment task_environment(const Gang& gang, const core::TaskId& task) {
  Environment env{
      {"YDL_JOB_ID", gang.job_id},
      {"YDL_ROLE", task.role},
      {"YDL_INDEX", std::to_string(gang.index(task))},
      {"YDL_PORTS", fmt::format("{}", fmt::join(gang.member(task).ports, ","))},
  };
  if (gang.member(task).index) env["YDL_TASK"] = task.str();
  return env;
}

core::Result<void> check_length(std::string_view name, std::size_t value_size) {
  if (name.size() + value_size <= kLongestVariable) return {};
  return core::fail(
      core::Errc::usage,
      fmt::format(
          "the environment variable {} would have {} bytes, and the kernel allows at most {}: pass the value in a file",
          name, value_size, kLongestVariable - name.size()));
}

std::string address(const Gang::Member& member) {
  YDL_ASSERT(!member.ports.empty());
  return fmt::format("{}:{}", member.host, member.ports.front());
}

}  // namespace ydl::framework

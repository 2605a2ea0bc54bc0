#include "spec/role_fields.hpp"

#include "spec/job_fields.hpp"
#include "spec/options.hpp"

#include <set>

#include <fmt/format.h>

namespace ydl::spec {
namespace {

using core::Errc;
using core::fail;

Field<Role> resources_field() {
  return {"resources",
          [](const Fields& role, Role& value) {
            const TreeNode* map = role.map("resources", "{memory: 2g, vcores: 1}");
            if (map == nullptr) return;
            const auto keys = keys_of(resource_fields());
            read_fields(resource_fields(), Fields(*map, "resources of " + role.place(), keys, role.problems()),
                        value.resources);
          },
          [](const Role& role, boost::json::object& object) {
            auto written = write_fields(resource_fields(), role.resources);
            if (!written.empty()) object.emplace("resources", std::move(written));
          },
          [](const Role& role) { return check_resources(role.resources); }};
}

// A number, or "2:8".
Field<Role> count_field() {
  return {"count",
          [](const Fields& role, Role& value) {
            const Entry* entry = role.node().find("count");
            const bool is_range = entry != nullptr && entry->value.kind == NodeKind::scalar &&
                                  entry->value.text.find(':') != std::string::npos;
            if (!is_range) {
              if (const auto count = role.integer("count", kCountRange)) value.count = *count;
              return;
            }
            const auto count = parse_task_count(entry->value.text);
            if (!count) return role.complain("count", entry->value, count.error().message);
            value.count = count->most;
            value.least = count->least;
          },
          [](const Role& role, boost::json::object& object) {
            if (role.least)
              object.emplace("count", fmt::format("{}:{}", *role.least, role.count));
            else
              object.emplace("count", role.count);
          },
          [](const Role& role) -> core::Result<> {
            if (auto ok = check_range(role.count, kCountRange); !ok || !role.least) return ok;
            return check_range(*role.least, {kCountRange.min, role.count - 1});
          }};
}

// Whether the key exists. A wrong command was already added to the problems.
bool has_command(const TreeNode& map) {
  return map.find("command") != nullptr;
}

std::vector<Role> read_roles(const Fields& job) {
  const TreeNode* roles = job.map("roles", "{worker: {count: 2}}");
  if (roles == nullptr) {
    if (job.node().find("roles") == nullptr) {
      job.problems().add(job.node().at.line, "the roles are missing; add for example 'roles: {worker: {count: 2}}'");
    }
    return {};
  }
  if (roles->entries.empty() || roles->entries.size() > kMaxRoles) {
    job.complain("roles", *roles, fmt::format("a job has 1 to {} roles, not {}", kMaxRoles, roles->entries.size()));
    return {};
  }
  const auto keys = keys_of(role_fields());
  std::vector<Role> read;
  for (const auto& entry : roles->entries) {
    if (auto ok = check_role_name(entry.key); !ok) {
      job.problems().add(entry.at.line, ok.error().message);
    } else if (entry.value.kind != NodeKind::map) {
      job.problems().add(entry.at.line, fmt::format("role '{}' must be a mapping, for example {{count: 2}}, not {}",
                                                    entry.key, describe(entry.value)));
    } else {
      if (!has_command(job.node()) && !has_command(entry.value)) {
        job.problems().add(entry.at.line, fmt::format("role '{}' has no command, and the job has none either; add a "
                                                      "'command' to one of them",
                                                      entry.key));
      }
      const Fields fields(entry.value, fmt::format("role {}", in_quotes(entry.key)), keys, job.problems());
      auto& role = read.emplace_back();
      role.name = entry.key;
      read_fields(role_fields(), fields, role);
    }
  }
  return read;
}

core::Result<> check_role(const Role& role, const JobSpec& job) {
  if (auto ok = check_fields(role_fields(), role); !ok) return ok;
  if (!role.command.empty() || !job.command.empty()) return {};
  return fail(Errc::usage, "command: the role has no command, and the job has none either; add one");
}

core::Result<> check_roles(const JobSpec& job) {
  if (job.roles.empty() || job.roles.size() > kMaxRoles) {
    return fail(Errc::usage, fmt::format("a job has 1 to {} roles, not {}", kMaxRoles, job.roles.size()));
  }
  std::set<std::string_view> names;
  for (const auto& role : job.roles) {
    if (auto ok = check_role_name(role.name); !ok) return ok;
    if (!names.insert(role.name).second) return fail(Errc::usage, fmt::format("there are two roles '{}'", role.name));
    if (auto ok = check_role(role, job); !ok)
      return fail(std::move(ok.error()).within(fmt::format("role '{}'", role.name)));
  }
  return {};
}

}  // namespace

const FieldTable<Role>& role_fields() {
  static const FieldTable<Role> kFields{count_field(),
                                        text("kind", &Role::kind, check_kind),
                                        command("command", &Role::command),
                                        env("env", &Role::env),
                                        resources_field(),
                                        integer("retries", &Role::retries, kRetriesRange),
                                        text("restart", &Role::restart, check_restart),
                                        integer("ports", &Role::ports, kPortsRange)};
  return kFields;
}

Field<JobSpec> roles_field() {
  return {"roles", [](const Fields& fields, JobSpec& job) { job.roles = read_roles(fields); },
          [](const JobSpec& job, boost::json::object& object) {
            boost::json::object roles;
            for (const auto& role : job.roles) roles.emplace(role.name, write_fields(role_fields(), role));
            object.emplace("roles", std::move(roles));
          },
          check_roles};
}

}  // namespace ydl::spec

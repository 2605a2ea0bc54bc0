#include "cli/commands/dry_run.hpp"

#include "client/upload_size.hpp"
#include "core/secret_names.hpp"
#include "core/strings.hpp"
#include "spec/rules.hpp"
#include "ui/table.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::cli {
namespace {

namespace json = boost::json;

constexpr std::uint16_t kFirstExamplePort = 40001;
constexpr int kShownTasksPerRole = 2;

framework::Gang example_gang(const master::JobPlan& plan) {
  framework::Gang gang;
  gang.job_id = plan.spec.name + "-0000";
  gang.scheduler_host = "127.0.0.1";
  gang.scheduler_port = 40000;
  std::uint16_t port = kFirstExamplePort;
  for (const auto& role : plan.roles) {
    for (int i = 0; i < role.count; ++i) {
      framework::Gang::Member member{{role.name, i}, "127.0.0.1", {}, role.vcores};
      if (plan.job_role(role.name).is_elastic()) member.index = i;
      for (int p = plan.ports(member.id); p > 0; --p) member.ports.push_back(port++);
      gang.members.push_back(std::move(member));
    }
  }
  return gang;
}

// What people see of a task's environment: no value that looks like a secret.
framework::Environment environment(const master::JobPlan& plan, const framework::Gang& gang, const core::TaskId& task) {
  auto env = framework::task_environment(gang, task);
  env["YDL_TASKS_JSON"] = framework::tasks_json(gang);
  env.merge(plan.framework->environment(gang, task));
  for (const auto& [name, value] : plan.framework->beginnings(gang)) env[name].insert(0, value);
  for (const auto& [name, value] : plan.role(task.role).env) env[name] = value;
  for (auto& [name, value] : env) value = core::shown_value(name, value);
  return env;
}

std::string describe(const spec::Image& image, const client::ClusterChoice& where) {
  const auto* usual =
      where.cluster == core::ClusterKind::yarn ? "the NodeManagers" : "podman or docker, whichever is installed";
  return fmt::format("{}, run by {}", image.name,
                     image.runtime && *image.runtime != "nodemanager" ? *image.runtime : usual);
}

std::string memory_text(const master::RoleLaunch& role) {
  const auto text = core::format_bytes(role.memory);
  return role.asked.memory ? text : text + " (default)";
}

std::string vcores_text(const master::RoleLaunch& role) {
  return role.asked.vcores ? std::to_string(role.vcores) : fmt::format("{} (default)", role.vcores);
}

std::string tasks_text(const master::RoleLaunch& role) {
  return role.least < role.count ? fmt::format("{} to {}", role.least, role.count) : std::to_string(role.count);
}

// What starts again when a task of the role failed and has retries left.
std::string_view restart_text(core::RestartUnit unit) {
  switch (unit) {
    case core::RestartUnit::task:
      return "alone";
    case core::RestartUnit::task_in_place:
      return "alone, at its address";
    case core::RestartUnit::gang:
      break;
  }
  return "all";
}

}  // namespace

std::string dry_run_text(const master::JobPlan& plan, const client::ClusterChoice& where, const ui::Style& style) {
  std::string text = fmt::format("{} ({}) {}\n", plan.spec.name, plan.framework->name(), where.sentence);
  if (plan.spec.auto_files)
    text += fmt::format("files: what lies in {} appears in each task's working directory\n",
                        plan.spec.directory.value_or("."));
  text += fmt::format("files: {} in all; at most {} may travel to the tasks\n",
                      describe(client::measure_upload(plan.spec, client::kEverything)),
                      core::format_bytes(plan.spec.files_limit.value_or(spec::kDefaultFilesLimit)));
  for (const auto& file : plan.spec.files)
    text += fmt::format("file: {}{}\n", file.source, file.name.empty() ? "" : " as " + file.name);
  for (const auto& archive : plan.spec.archives)
    text += fmt::format("archive: {} unpacked as {}\n", archive.source, spec::name_in_task(archive));
  for (const auto& input : plan.spec.inputs)
    text += fmt::format("input: {} as {}\n", input.source, spec::name_in_task(input));
  if (plan.spec.image) text += fmt::format("image: {}\n", describe(*plan.spec.image, where));
  if (plan.spec.python_env) text += fmt::format("python environment: {}\n", *plan.spec.python_env);
  text += "memory and vcores are limited on this machine only where the job asks for them\n\n";

  ui::Table table({{"ROLE"},
                   {"TASKS", ui::Align::right},
                   {"KIND"},
                   {"MEMORY"},
                   {"VCORES"},
                   {"GPUS", ui::Align::right},
                   {"RETRIES", ui::Align::right},
                   {"RESTART"}});
  for (std::size_t i = 0; i < plan.roles.size(); ++i) {
    const auto& role = plan.roles[i];
    const auto& machine = plan.job.roles[i];
    table.row({role.name, tasks_text(role), std::string(job::name(machine.kind)), memory_text(role), vcores_text(role),
               std::to_string(role.gpus), std::to_string(machine.retries), std::string(restart_text(machine.restart))});
  }
  text += table.render(0, style);

  const auto gang = example_gang(plan);
  for (const auto& role : plan.roles) {
    text += fmt::format("\n{}: {}\n", role.name, core::shell_join(role.argv));
    if (!role.interpreter_note.empty()) text += fmt::format("  interpreter: {}\n", role.interpreter_note);
    for (int i = 0; i < std::min(role.count, kShownTasksPerRole); ++i) {
      const core::TaskId task{role.name, i};
      text += fmt::format("  {} finds in its environment (ports are examples):\n", task.str());
      for (const auto& [name, value] : environment(plan, gang, task))
        text += fmt::format("    {}={}\n", name, core::shell_quote(value));
    }
    if (role.count > kShownTasksPerRole)
      text += fmt::format("  … and {} more like these\n", role.count - kShownTasksPerRole);
  }
  return text;
}

std::string dry_run_json(const master::JobPlan& plan, const client::ClusterChoice& where) {
  const auto size = client::measure_upload(plan.spec, client::kEverything);
  const auto gang = example_gang(plan);
  json::array roles;
  for (std::size_t i = 0; i < plan.roles.size(); ++i) {
    const auto& role = plan.roles[i];
    json::object env;
    for (const auto& [name, value] : environment(plan, gang, {role.name, 0})) env[name] = value;
    roles.push_back(json::object{{"name", role.name},
                                 {"count", role.count},
                                 {"least", role.least},
                                 {"kind", job::name(plan.job.roles[i].kind)},
                                 {"memory", static_cast<std::int64_t>(role.memory)},
                                 {"vcores", role.vcores},
                                 {"gpus", role.gpus},
                                 {"retries", plan.job.roles[i].retries},
                                 {"restart", restart_text(plan.job.roles[i].restart)},
                                 {"command", json::array(role.argv.begin(), role.argv.end())},
                                 {"environment_of_first", std::move(env)}});
  }
  json::object object{{"v", 1},
                      {"type", "plan"},
                      {"name", plan.spec.name},
                      {"framework", plan.framework->name()},
                      {"cluster", core::name(where.cluster)},
                      {"files", size.files},
                      {"file_bytes", size.bytes},
                      {"roles", std::move(roles)}};
  if (plan.spec.image) object["image"] = plan.spec.image->name;
  return json::serialize(object) + "\n";
}

}  // namespace ydl::cli

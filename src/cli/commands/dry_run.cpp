#include "cli/commands/dry_run.hpp"

#include "client/upload_size.hpp"
#include "client/yarn/submission.hpp"
#include "core/secret_names.hpp"
#include "core/strings.hpp"
#include "spec/rules.hpp"
#include "ui/table.hpp"
#include "ui/words.hpp"

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

// A list of tasks as JSON with the first ones of each role: 100 tasks would fill screens.
std::string shortened_tasks(const framework::Gang& gang) {
  auto tasks = json::parse(framework::tasks_json(gang)).as_object();
  std::vector<std::string> roles;
  for (auto& [role, value] : tasks) {
    auto& members = value.as_array();
    const auto count = members.size();
    const bool is_long = count > kShownTasksPerRole;
    if (is_long) members.resize(kShownTasksPerRole);
    auto text = json::serialize(members);
    if (is_long) text.insert(text.size() - 1, fmt::format(", … {} more", count - kShownTasksPerRole));
    roles.push_back(fmt::format("{}:{}", json::serialize(json::string(role)), text));
  }
  return fmt::format("{{{}}}", fmt::join(roles, ","));
}

// What people see of a task's environment: no value that looks like a secret.
framework::Environment environment(const master::JobPlan& plan, const framework::Gang& gang, const core::TaskId& task) {
  auto env = framework::task_environment(gang, task);
  env["YDL_TASKS_JSON"] = framework::tasks_json(gang);
  if (framework::has_role(*plan.framework, task.role)) {
    env.merge(plan.framework->environment(gang, task));
    for (const auto& [name, value] : plan.framework->beginnings(gang)) env[name].insert(0, value);
  }
  for (const auto& [name, value] : plan.role(task.role).env) env[name] = value;
  for (auto& [name, value] : env) value = core::shown_value(name, value);
  return env;
}

std::string environment_text(const master::JobPlan& plan, const framework::Gang& gang, const core::TaskId& task) {
  constexpr std::size_t kLongest = 1000;
  std::string text;
  for (const auto& [name, whole] : environment(plan, gang, task)) {
    auto value = name == "YDL_TASKS_JSON" ? shortened_tasks(gang) : whole;
    std::string more;
    if (value.size() > kLongest) {
      auto cut = kLongest;
      while (cut > 0 && (static_cast<unsigned char>(value[cut]) & 0xC0U) == 0x80) --cut;  // not inside a character
      more = fmt::format(" … {} more bytes", value.size() - cut);
      value.resize(cut);
    }
    text += fmt::format("    {}={}{}\n", name, core::shell_quote(value), more);
  }
  return text;
}

// What the end of a task means for the job.
std::string_view kind_text(core::RoleKind kind) {
  switch (kind) {
    case core::RoleKind::decider:
      return "must succeed";
    case core::RoleKind::service:
      return "stopped at the end";
    case core::RoleKind::evaluator:
      return "may finish at the end";
    case core::RoleKind::side:
      break;
  }
  return "may fail";
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

namespace {

std::string files_text(const DryRun& run) {
  const auto& spec = run.plan.spec;
  const bool is_uploaded = run.where.cluster == core::ClusterKind::yarn;
  std::string text;
  if (spec.auto_files)
    text +=
        fmt::format("files: those in {} appear in the working directory of each task\n", spec.directory.value_or("."));
  const auto size = describe(client::measure_upload(spec, client::kEverything));
  const auto limit = core::format_bytes(spec.files_limit.value_or(spec::kDefaultFilesLimit));
  text += is_uploaded ? fmt::format("upload: {}, less what is cached on the cluster; the limit is {}\n", size, limit)
                      : fmt::format("files: {} in all; a cluster would accept at most {}\n", size, limit);
  for (const auto& file : spec.files)
    text += fmt::format("file: {}{}\n", file.source, file.name.empty() ? "" : " as " + file.name);
  for (const auto& archive : spec.archives)
    text += fmt::format("archive: {} unpacked as {}\n", archive.source, spec::name_in_task(archive));
  for (const auto& input : spec.inputs)
    text += fmt::format("input: {} as {}\n", input.source, spec::name_in_task(input));
  return text;
}

// What only a cluster has.
std::string yarn_text(const DryRun& run) {
  const auto& spec = run.plan.spec;
  const auto submission = client::submission_options(spec);
  const bool is_unmanaged = submission.kind == backend::MasterKind::unmanaged;
  return fmt::format("queue: {}\n", spec.queue.value_or(submission.queue)) +
         (is_unmanaged
              ? "master: a process on this machine (unmanaged)\n"
              : fmt::format("master: a container with {} MiB and {}{}\n", submission.am_size.memory_mib,
                            core::plural(submission.am_size.vcores, "vcore"),
                            submission.am_label.empty() ? "" : " on nodes with label " + submission.am_label)) +
         fmt::format("results: {}\n", run.results.empty() ? "in the folder of the job on HDFS; fetch them with `ydl "
                                                            "results get`"
                                                          : run.results);
}

}  // namespace

std::string dry_run_text(const DryRun& run, const ui::Style& style) {
  const auto& plan = run.plan;
  const auto& where = run.where;
  const auto framework = ui::framework_title(plan.framework->name());
  std::string text = fmt::format("{}{} {}\n", plan.spec.name, framework.empty() ? "" : fmt::format(" ({})", framework),
                                 where.sentence);
  text += files_text(run);
  if (plan.spec.image) text += fmt::format("image: {}\n", describe(*plan.spec.image, where));
  if (plan.spec.python_env) text += fmt::format("python environment: {}\n", *plan.spec.python_env);
  text += where.cluster == core::ClusterKind::yarn
              ? yarn_text(run)
              : "memory and vcores are limited on this machine only if the job requests them\n";
  text += "\n";

  ui::Table table({{"ROLE"},
                   {"TASKS", ui::Align::right},
                   {"WHEN IT ENDS"},
                   {"MEMORY"},
                   {"VCORES"},
                   {"GPUS", ui::Align::right},
                   {"RETRIES", ui::Align::right},
                   {"RESTART"}});
  for (std::size_t i = 0; i < plan.roles.size(); ++i) {
    const auto& role = plan.roles[i];
    const auto& machine = plan.job.roles[i];
    table.row({role.name, tasks_text(role), std::string(kind_text(machine.kind)), memory_text(role), vcores_text(role),
               std::to_string(role.gpus), std::to_string(machine.retries), std::string(restart_text(machine.restart))});
  }
  text += table.render(0, style);

  const auto gang = example_gang(plan);
  for (const auto& role : plan.roles) {
    text += fmt::format("\n{}: {}\n", role.name, core::shell_join(role.argv));
    if (!role.interpreter_note.empty()) text += fmt::format("  interpreter: {}\n", role.interpreter_note);
    for (int i = 0; i < std::min(role.count, kShownTasksPerRole); ++i) {
      const core::TaskId task{role.name, i};
      text += fmt::format("  {} has in its environment (ports are examples):\n", task.str());
      text += environment_text(plan, gang, task);
    }
    if (role.count > kShownTasksPerRole)
      text += fmt::format("  … and {} more like these\n", role.count - kShownTasksPerRole);
  }
  return text;
}

std::string dry_run_json(const DryRun& run) {
  const auto& plan = run.plan;
  const auto& where = run.where;
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

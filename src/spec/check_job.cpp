#include "spec/image_rules.hpp"
#include "spec/problems.hpp"
#include "spec/rules.hpp"

#include <set>
#include <utility>

#include <fmt/format.h>

namespace ydl::spec {
namespace {

using core::Errc;
using core::fail;

// Runs checks until one fails and keeps that one's Error with the place it is about.
class FirstFailure {
 public:
  template <class Check>
  FirstFailure& then(std::string_view place, Check&& check) {
    if (!result_) return *this;
    result_ = std::forward<Check>(check)();
    if (!result_) result_ = fail(std::move(result_.error()).within(place));
    return *this;
  }
  [[nodiscard]] core::Result<> take() { return std::move(result_); }

 private:
  core::Result<> result_;
};

template <class T, class Check>
core::Result<> if_set(const std::optional<T>& value, Check&& check) {
  return value ? check(*value) : core::Result<>();
}

core::Result<> check_env(const std::map<std::string, std::string>& env) {
  for (const auto& [name, value] : env) {
    if (auto ok = check_env_name(name); !ok) return ok;
    if (auto ok = check_env_value(value); !ok) return fail(std::move(ok.error()).within(name));
  }
  return {};
}

auto in_range(Range range) {
  return [range](int value) { return check_range(value, range); };
}

core::Result<> check_role(const Role& role, const JobSpec& job) {
  auto checked =
      FirstFailure()
          .then("count", [&] { return check_range(role.count, kCountRange); })
          .then("kind", [&] { return if_set(role.kind, check_kind); })
          .then("command",
                [&]() -> core::Result<> {
                  if (!role.command.empty()) return check_command(role.command);
                  if (!job.command.empty()) return {};
                  return fail(Errc::usage, "it has none, and neither has the job; give one of them a command");
                })
          .then("env", [&] { return check_env(role.env); })
          .then("retries", [&] { return if_set(role.retries, in_range(kRetriesRange)); })
          .then("restart", [&] { return if_set(role.restart, check_restart); })
          .then("ports", [&] { return if_set(role.ports, in_range(kPortsRange)); })
          .take();
  return checked ? check_resources(role.resources) : checked;
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

core::Result<> check_files(const JobSpec& job) {
  if (job.files.size() + job.archives.size() + job.inputs.size() > kMaxFiles) {
    return fail(Errc::usage, fmt::format("a job names at most {} files; put them into a folder", kMaxFiles));
  }
  std::set<std::string> names;
  for (const auto* list : {&job.files, &job.archives, &job.inputs}) {
    for (const auto& file : *list) {
      if (auto ok = list == &job.inputs ? check_input(file) : check_file(file); !ok) return ok;
      if (!names.insert(name_in_task(file)).second) {
        return fail(Errc::usage, fmt::format("two files have the name {} in the task; give one of them another",
                                             in_quotes(name_in_task(file))));
      }
    }
  }
  return {};
}

core::Result<> check_python_env(const JobSpec& job) {
  if (!job.python_env) return {};
  if (job.python) return fail(Errc::usage, "python names an interpreter already; give one of the two");
  if (job.image) return fail(Errc::usage, "the image brings its own Python; give one of the two");
  return check_path(*job.python_env);
}

core::Result<> check_types(const std::map<std::string, int>& types) {
  for (const auto& [type, amount] : types) {
    if (auto ok = check_resource_type(type); !ok) return ok;
    if (auto ok = check_range(amount, kTypeRange); !ok) return fail(ok.error().within(type));
  }
  return {};
}

}  // namespace

core::Result<> check_resources(const Resources& resources) {
  return FirstFailure()
      .then("memory", [&] { return if_set(resources.memory, check_memory); })
      .then("vcores", [&] { return if_set(resources.vcores, in_range(kVcoresRange)); })
      .then("gpus", [&] { return if_set(resources.gpus, in_range(kGpusRange)); })
      .then("label", [&] { return if_set(resources.label, check_label); })
      .then("hosts", [&] { return check_each(resources.hosts, check_host); })
      .then("racks", [&] { return check_each(resources.racks, check_rack); })
      .then("placement", [&] { return if_set(resources.placement, check_placement); })
      .then("types", [&] { return check_types(resources.types); })
      .take();
}

// The ResourceManager places the master itself, and knows nothing of its GPUs.
core::Result<> check_am_resources(const Resources& resources) {
  if (resources.gpus || !resources.hosts.empty() || !resources.racks.empty() || resources.placement ||
      !resources.types.empty())
    return fail(Errc::usage, "the ApplicationMaster (am) has memory, vcores and a label, and nothing else");
  return check_resources(resources);
}

core::Result<> check_job(const JobSpec& job) {
  const auto check_time = [](core::Millis time, Zero zero) { return [=] { return check_duration(time, zero); }; };
  return FirstFailure()
      .then("version", [&] { return check_range(job.version, {kVersion, kVersion}); })
      .then("name", [&] { return job.name.empty() ? core::Result<>() : check_job_name(job.name); })
      .then("framework", [&] { return check_framework(job.framework); })
      .then("command", [&] { return job.command.empty() ? core::Result<>() : check_command(job.command); })
      .then("env", [&] { return check_env(job.env); })
      .then("roles", [&] { return check_roles(job); })
      .then("files", [&] { return check_files(job); })
      .then("files_limit", [&] { return if_set(job.files_limit, check_memory); })
      .then("directory", [&] { return if_set(job.directory, check_path); })
      .then("python", [&] { return if_set(job.python, check_path); })
      .then("python_env", [&] { return check_python_env(job); })
      .then("image", [&] { return if_set(job.image, check_image); })
      .then("queue", [&] { return if_set(job.queue, check_queue); })
      .then("am", [&] { return if_set(job.am, check_am); })
      .then("priority", [&] { return if_set(job.priority, in_range(kPriorityRange)); })
      .then("am_resources", [&] { return check_am_resources(job.am_resources); })
      .then("retries", [&] { return check_range(job.retries, kRetriesRange); })
      .then("job_retries", [&] { return check_range(job.job_retries, kRetriesRange); })
      .then("timeouts.allocation", check_time(job.allocation_timeout, Zero::refused))
      .then("timeouts.start", check_time(job.start_timeout, Zero::refused))
      .then("timeouts.rendezvous", check_time(job.rendezvous_timeout, Zero::refused))
      .then("timeouts.run", check_time(job.run_timeout, Zero::allowed))
      .then("timeouts.stop_grace", check_time(job.stop_grace, Zero::allowed))
      .then("timeouts.evaluator", check_time(job.evaluator_grace, Zero::allowed))
      .take();
}

}  // namespace ydl::spec

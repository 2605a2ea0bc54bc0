// `ydl doctor`: what this machine can do for a job, check by check.
#include "cli/commands/doctor.hpp"

#include "agent/resources/cgroup.hpp"
#include "agent/resources/gpus.hpp"
#include "cli/args/commands.hpp"
#include "cli/commands/common.hpp"
#include "cli/commands/launch.hpp"
#include "client/cluster_choice.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"
#include "core/utf8.hpp"
#include "core/version.hpp"
#include "jobs/private_root.hpp"
#include "master/plan.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::cli {
namespace {

Finding check_state_folder() {
  const auto jobs = jobs::make_jobs_root();
  if (!jobs) return {Verdict::broken, "job folder", jobs.error().message};
  const auto probe = *jobs / ".doctor";
  if (auto written = core::write_file_atomically(probe, "probe"); !written)
    return {Verdict::broken, "job folder", written.error().message};
  std::error_code ignored;
  std::filesystem::remove(probe, ignored);
  struct statvfs space{};
  const bool known = ::statvfs(jobs->c_str(), &space) == 0;
  const auto free = known ? static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize : 0;
  if (known && free < (1ULL << 30U)) {
    return {Verdict::limited, "job folder",
            fmt::format("{} has only {} free: logs and results may not fit", jobs->string(), core::format_bytes(free))};
  }
  return {Verdict::good, "job folder", fmt::format("{}, {} free", jobs->string(), core::format_bytes(free))};
}

Finding check_kernel() {
  const int fd = static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0));
  if (fd < 0)
    return {Verdict::broken, "kernel",
            "it has no pidfd_open, which watching processes needs: Linux 5.3 or newer is required"};
  ::close(fd);
  return {Verdict::good, "kernel", "watches processes by descriptor"};
}

Finding check_limits() {
  const auto cgroups = agent::Cgroups::detect();
  if (cgroups.why_not().empty()) return {Verdict::good, "limits", "memory and CPU of a task can be limited (cgroups)"};
  return {Verdict::limited, "limits", cgroups.why_not()};
}

Finding check_gpus() {
  const auto gpus = agent::discover_gpus();
  if (!gpus) return {Verdict::broken, "GPUs", gpus.error().message};
  if (gpus->empty()) return {Verdict::good, "GPUs", "none"};
  std::vector<std::string> names;
  for (const auto& gpu : *gpus) names.push_back(fmt::format("{} ({})", gpu.name, core::format_bytes(gpu.memory_bytes)));
  return {Verdict::good, "GPUs", fmt::format("{}: {}", gpus->size(), core::join(names, ", "))};
}

Finding check_python() {
  for (const auto* name : {"python", "python3"}) {
    if (const auto path = master::find_on_path(name))
      return {Verdict::good, "Python", fmt::format("{} runs .py commands (--python names another)", *path)};
  }
  return {Verdict::limited, "Python", "none on PATH: .py commands need --python PATH"};
}

std::vector<Finding> check_cluster(const CommonOptions& options) {
  const auto where = client::choose_cluster({.cluster = options.cluster, .cluster_only = {}});
  if (!where) return {{Verdict::broken, "cluster", where.error().message}};
  std::vector<Finding> findings{{Verdict::good, "cluster", "a job " + where->sentence}};
  if (where->hadoop) std::ranges::move(examine_cluster(*where->hadoop), std::back_inserter(findings));
  return findings;
}

// The whole way of a job, with one task that does nothing.
Finding run_probe(const CommonOptions& common) {
  RunOptions options;
  options.common = common;
  options.common.output = ui::Mode::quiet;
  spec::JobSpec job;
  job.name = "doctor";
  job.command = {"true"};
  job.auto_files = false;
  spec::Role role;
  role.name = "worker";
  role.resources.memory = std::uint64_t{256} << 20U;
  job.roles = {role};
  const auto started = core::steady_now();
  const int code = launch_job(options, job);
  if (code != 0) return {Verdict::broken, "probe", fmt::format("a job of one task ended with code {}", code)};
  return {Verdict::good, "probe",
          fmt::format("a job of one task took {}", core::format_duration(core::steady_now() - started))};
}

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::good:
      return "ok";
    case Verdict::limited:
      return "limited";
    case Verdict::broken:
      return "broken";
  }
  return "";
}

}  // namespace

int execute(const Doctor& command) {
  std::vector<Finding> findings{{Verdict::good, "ydl", std::string(core::kVersion)},
                                check_kernel(),
                                check_state_folder(),
                                check_limits(),
                                check_gpus(),
                                check_python()};
  std::ranges::move(check_cluster(command.common), std::back_inserter(findings));
  if (command.probe) findings.push_back(run_probe(command.common));
  bool broken = false;
  for (const auto& finding : findings) {
    broken = broken || finding.verdict == Verdict::broken;
    if (wants_json(command.common)) {
      print(boost::json::serialize(boost::json::object{{"v", 1},
                                                       {"type", "check"},
                                                       {"subject", finding.subject},
                                                       {"verdict", name(finding.verdict)},
                                                       {"text", finding.sentence}}) +
            "\n");
    } else {
      print(fmt::format("{:<8} {:<13} {}\n", name(finding.verdict), finding.subject,
                        core::escaped_lines(finding.sentence)));
    }
  }
  return broken ? 1 : 0;
}

}  // namespace ydl::cli

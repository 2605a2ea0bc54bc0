// `ydl doctor`: what this machine can do for a job, check by check.
#include "cli/commands/doctor.hpp"

#include "agent/resources/cgroup.hpp"
#include "agent/resources/gpus.hpp"
#include "cli/args/commands.hpp"
#include "cli/commands/common.hpp"
#include "cli/commands/launch.hpp"
#include "client/cluster_choice.hpp"
#include "client/env/submitting_python.hpp"
#include "client/env/uv.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"
#include "core/utf8.hpp"
#include "core/version.hpp"
#include "jobs/job_folder.hpp"
#include "jobs/private_root.hpp"
#include "master/plan.hpp"
#include "ui/line.hpp"

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
            fmt::format("{} has only {} free; logs and results may not fit", jobs->string(), core::format_bytes(free))};
  }
  return {Verdict::good, "job folder", fmt::format("{}, {} free", jobs->string(), core::format_bytes(free))};
}

Finding check_kernel() {
  const int fd = static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0));
  if (fd < 0) return {Verdict::broken, "kernel", "pidfd_open is missing; Linux 5.3 or newer is required"};
  ::close(fd);
  return {Verdict::good, "kernel", "pidfd available"};
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
  return {Verdict::limited, "Python", "none on PATH; .py commands need --python PATH"};
}

Finding check_uv() {
  const auto cache = client::user_cache();
  if (!cache) return {Verdict::limited, "uv", cache.error().message};
  const auto here = client::find_submitting_python({});
  const auto python = here && *here ? std::optional((*here)->python) : std::nullopt;
  const auto source = client::look_for_uv(python, *cache);
  const auto verdict = source.kind == client::UvSource::Kind::none ? Verdict::limited : Verdict::good;
  return {verdict, "uv", client::describe(source, python)};
}

struct ClusterFindings {
  std::vector<Finding> findings;
  core::ClusterKind kind = core::ClusterKind::local;
};

ClusterFindings check_cluster(const CommonOptions& options) {
  const auto where = client::choose_cluster({.cluster = options.cluster, .cluster_only = {}});
  if (!where) return {{{Verdict::broken, "cluster", where.error().message}}};
  ClusterFindings found{{{Verdict::good, "cluster", "a job " + where->sentence}}, where->cluster};
  if (where->hadoop) std::ranges::move(examine_cluster(*where->hadoop), std::back_inserter(found.findings));
  return found;
}

constexpr std::string_view kProbeName = "doctor";

// Removes the folders of probes that `known` lacks: the job was ours, and `ydl ls` is for those of the user.
void remove_new_probes(const std::vector<std::string>& known) {
  const auto root = jobs::jobs_root();
  if (!root) return;
  for (const auto& folder : jobs::list_job_folders(*root)) {
    const auto id = folder.id().str();
    std::error_code ignored;
    if (id.starts_with(kProbeName) && std::ranges::find(known, id) == known.end())
      std::filesystem::remove_all(folder.root(), ignored);
  }
}

std::vector<std::string> known_jobs() {
  std::vector<std::string> ids;
  const auto root = jobs::jobs_root();
  if (!root) return ids;
  for (const auto& folder : jobs::list_job_folders(*root)) ids.push_back(folder.id().str());
  return ids;
}

// Runs a job of one task that does nothing, in all the steps of a real one.
Finding run_probe(const CommonOptions& common) {
  RunOptions options;
  options.common = common;
  options.common.output = ui::Mode::quiet;
  spec::JobSpec job;
  job.name = kProbeName;
  job.command = {"true"};
  job.auto_files = false;
  spec::Role role;
  role.name = "worker";
  role.resources.memory = std::uint64_t{256} << 20U;
  job.roles = {role};
  const auto known = known_jobs();
  const auto started = core::steady_now();
  const int code = launch_job(options, job);
  if (code != 0)
    return {Verdict::broken, "probe", fmt::format("a job of one task ended with code {}; see `ydl logs`", code)};
  const auto took = core::steady_now() - started;
  remove_new_probes(known);
  return {Verdict::good, "probe", fmt::format("a job of one task took {}", core::format_duration(took))};
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

namespace {

ui::Tone tone_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::good:
      return ui::Tone::green;
    case Verdict::limited:
      return ui::Tone::yellow;
    case Verdict::broken:
      break;
  }
  return ui::Tone::red;
}

void print_line(Verdict verdict, std::string_view subject, std::string_view text) {
  ui::Line line;
  line.add(fmt::format("{:<8}", name(verdict)), tone_of(verdict));
  print(line.add(fmt::format(" {:<13} {}", subject, core::escaped_lines(text))).whole(output_style()) + "\n");
}

void print_json(const Finding& finding) {
  print(boost::json::serialize(boost::json::object{{"v", 1},
                                                   {"type", "check"},
                                                   {"subject", finding.subject},
                                                   {"verdict", name(finding.verdict)},
                                                   {"text", core::printable(finding.sentence)}}) +
        "\n");
}

// The last line: whether jobs can run, and where.
void print_conclusion(const std::vector<Finding>& findings, core::ClusterKind kind) {
  const auto count = [&](Verdict verdict) {
    return static_cast<std::int64_t>(std::ranges::count(findings, verdict, &Finding::verdict));
  };
  ui::Line line;
  if (const auto broken = count(Verdict::broken); broken > 0) {
    line.add(fmt::format("not ready: {} failed", core::plural(broken, "check")), ui::Tone::red);
  } else {
    const auto limited = count(Verdict::limited);
    line.add(fmt::format("ready to run jobs on {}", kind == core::ClusterKind::local ? "this machine" : "YARN"),
             ui::Tone::green);
    if (limited > 0) line.add(fmt::format(", with {}", core::plural(limited, "limitation")));
  }
  print("\n" + line.whole(output_style()) + "\n");
}

}  // namespace

int execute(const Doctor& command) {
  std::vector<Finding> findings{{Verdict::good, "ydl", std::string(core::kVersion)},
                                check_kernel(),
                                check_state_folder(),
                                check_limits(),
                                check_gpus(),
                                check_python(),
                                check_uv()};
  auto cluster = check_cluster(command.common);
  std::ranges::move(cluster.findings, std::back_inserter(findings));
  if (command.probe) findings.push_back(run_probe(command.common));
  for (const auto& finding : findings) {
    if (wants_json(command.common))
      print_json(finding);
    else
      print_line(finding.verdict, finding.subject, finding.sentence);
  }
  if (!wants_json(command.common)) print_conclusion(findings, cluster.kind);
  return std::ranges::find(findings, Verdict::broken, &Finding::verdict) == findings.end() ? 0 : 1;
}

}  // namespace ydl::cli

// `ydl doctor`: what this machine can do for a job, check by check.
#include "agent/cgroup.hpp"
#include "agent/gpus.hpp"
#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/where.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"
#include "core/version.hpp"
#include "master/plan.hpp"

#include <filesystem>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::cli {
namespace {

enum class Verdict { good, limited, broken };

struct Finding {
  Verdict verdict = Verdict::good;
  std::string subject;
  std::string sentence;
};

Finding check_state_folder() {
  const auto jobs = master::jobs_root();
  if (!jobs) return {Verdict::broken, "job folder", jobs.error().message};
  if (auto made = core::make_directories(*jobs, 0700); !made)
    return {Verdict::broken, "job folder", made.error().message};
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

Finding check_cluster() {
  const auto where = choose_cluster("auto", {});
  return where ? Finding{Verdict::good, "cluster", "a job " + where->sentence}
               : Finding{Verdict::broken, "cluster", where.error().message};
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
  const Finding findings[] = {{Verdict::good, "ydl", std::string(core::kVersion)},
                              check_kernel(),
                              check_state_folder(),
                              check_limits(),
                              check_gpus(),
                              check_python(),
                              check_cluster()};
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
      print(fmt::format("{:<8} {:<11} {}\n", name(finding.verdict), finding.subject, finding.sentence));
    }
  }
  return broken ? 1 : 0;
}

}  // namespace ydl::cli

#pragma once

#include "core/ids.hpp"
#include "core/result.hpp"
#include "core/roles.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// What the tasks of each deep-learning framework need to find their peers. Pure: it computes environment variables from
// the shape of a job and the hosts and ports of its tasks.
//
// A new framework is one file in this folder and one word in the list of CMakeLists.txt; see
// docs/checklists/framework.md.
namespace ydl::framework {

using Environment = std::map<std::string, std::string>;

// The job before its tasks are placed: its roles, the number of tasks of each, and their commands.
struct Shape {
  struct Role {
    std::string name;
    int count = 1;
    std::vector<std::string> command = {};
    bool is_elastic = false;  // the job may run with fewer tasks
  };
  std::vector<Role> roles;

  [[nodiscard]] int count(std::string_view role) const;
  [[nodiscard]] bool is_elastic(std::string_view role) const;
};

// The job when all its tasks are placed. Absent tasks of elastic roles are not members.
struct Gang {
  struct Member {
    core::TaskId id;
    std::string host;                  // the name or address that its peers connect to
    std::vector<std::uint16_t> ports;  // held for the task on that host
    int vcores = 1;
    // The number within the role that the task reads. In an elastic role whose tasks restart together it is the
    // position among the current members, so that there are no gaps. Nothing: the index of the task's id, which never
    // changes.
    std::optional<int> index = std::nullopt;
  };
  std::string job_id;
  int start = 1;  // the number of the current start of all tasks
  int max_starts = 1;
  std::vector<Member> members;  // roles in the order of the job, indices ascending
  std::string scheduler_host;   // of the parameter-server scheduler, if the framework has one
  std::uint16_t scheduler_port = 0;

  [[nodiscard]] const Member& member(const core::TaskId& id) const;
  [[nodiscard]] bool has(const core::TaskId& id) const { return find(id) != nullptr; }
  // The first task of the role, through which the others find each other.
  [[nodiscard]] const Member& first(std::string_view role) const;
  [[nodiscard]] int index(const core::TaskId& id) const;
  [[nodiscard]] int count(std::string_view role) const;

 private:
  [[nodiscard]] const Member* find(const core::TaskId& id) const;
  [[nodiscard]] std::span<const Member> of_role(std::string_view role) const;
};

struct RoleTraits {
  core::RoleKind kind = core::RoleKind::decider;
  core::RestartUnit restart = core::RestartUnit::task;
  std::string_view restart_reason = {};  // why a task cannot restart alone on any host; may be empty
};

// What ydl runs for the tasks of a job so that they find each other.
enum class Tracker {
  none,
  pslite,  // the parameter server's scheduler; its address is in Gang
};

// A Python environment with pinned packages, for jobs that name no environment.
struct DefaultEnvironment {
  std::string_view name;  // as users read it: "MXNet 1.9.1 (ydl's default)"
  std::string_view lock;  // a requirements file; its line "#: python 3.11" names the Python
};

class Framework {
 public:
  Framework() = default;
  Framework(const Framework&) = delete;
  Framework& operator=(const Framework&) = delete;
  virtual ~Framework() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::string_view summary() const = 0;  // one line of help

  // main_role() is the role that `--n` counts. If roles() is empty, a job may use any names of roles.
  [[nodiscard]] virtual std::string_view main_role() const { return "worker"; }
  [[nodiscard]] virtual std::span<const std::string_view> roles() const { return {}; }

  // Checks whether roles and counts fit together; that the roles exist is checked before.
  [[nodiscard]] virtual core::Result<void> validate(const Shape&) const { return {}; }

  [[nodiscard]] virtual RoleTraits traits(const Shape& shape, std::string_view role) const = 0;

  // How many ports must be held for a task before the first task starts.
  [[nodiscard]] virtual int ports(const Shape& shape, const core::TaskId& task) const = 0;

  // Whether its tasks can use GPUs. If so, users get a note when the tasks of a job see none.
  [[nodiscard]] virtual bool uses_gpus() const { return true; }

  [[nodiscard]] virtual Tracker tracker() const { return Tracker::none; }

  // The role that `--s` counts, with its default count. Nothing if the framework has no servers.
  [[nodiscard]] virtual std::optional<Shape::Role> default_servers(int /*workers*/) const { return std::nullopt; }

  // The environment for Python scripts on a cluster, whose hosts rarely have the framework. Nothing: use the Python of
  // the hosts.
  [[nodiscard]] virtual std::optional<DefaultEnvironment> default_environment() const { return std::nullopt; }

  // The packages of the framework in an environment that is built for a job.
  [[nodiscard]] virtual std::optional<DefaultEnvironment> buildable_environment() const {
    return default_environment();
  }

  // Corrects arguments that do not mean what they seem to mean in a distributed job. Returns one sentence for the user
  // for each correction.
  [[nodiscard]] virtual std::vector<std::string> correct_arguments(std::vector<std::string>&) const { return {}; }

  // The progress that a line of a task's log reports in the format of the framework; `argv` is the task's command.
  struct LogProgress {
    std::optional<double> fraction;  // from 0 to 1, if line and command contain it
    std::string text;
  };
  [[nodiscard]] virtual std::optional<LogProgress> read_progress(std::string_view /*line*/,
                                                                 std::span<const std::string> /*argv*/) const {
    return std::nullopt;
  }

  // The variables that the framework itself reads. task_environment() adds the YDL_* variables of every task.
  [[nodiscard]] virtual Environment environment(const Gang& gang, const core::TaskId& task) const = 0;

  // The beginnings of variables that name all tasks; environment() gives the rest of their values. Such a variable is
  // long, and only its end differs from task to task, so the common beginning is sent and stored once.
  [[nodiscard]] virtual Environment beginnings(const Gang&) const { return {}; }
};

[[nodiscard]] std::span<const Framework* const> all();
[[nodiscard]] core::Result<const Framework*> find(std::string_view name);

// Checks that the framework has every role of the job, and then validate().
[[nodiscard]] core::Result<void> check(const Framework& framework, const Shape& shape);
// Whether the role takes part in the framework. A role of kind `side` may have any name: the framework does not count
// it, and gives it no variables.
[[nodiscard]] bool has_role(const Framework& framework, std::string_view role);

// The hosts and ports of all tasks as JSON: {"worker":[{"host":"127.0.0.1","ports":[41375]},...],...}. The agent puts
// it into YDL_TASKS_FILE and YDL_TASKS_JSON.
[[nodiscard]] std::string tasks_json(const Gang& gang);
// YDL_JOB_ID, YDL_ROLE, YDL_INDEX and YDL_PORTS. In an elastic role also YDL_TASK, because the index may differ from
// the number in the task's name.
[[nodiscard]] Environment task_environment(const Gang& gang, const core::TaskId& task);

// The longest variable, including its name, with which the kernel starts a program (MAX_ARG_STRLEN).
inline constexpr std::size_t kLongestVariable = (std::size_t{128} << 10U) - 2;  // less "=" and the final NUL
// Errors: usage, naming the variable, if it is longer.
[[nodiscard]] core::Result<void> check_length(std::string_view name, std::size_t value_size);

// "host:port" of a member's first port.
[[nodiscard]] std::string address(const Gang::Member& member);

}  // namespace ydl::framework

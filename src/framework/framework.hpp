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

// What each deep-learning framework needs to find its peers. Pure: shapes and places in, variables out.
//
// A new framework is one file in this folder and one word in the list of CMakeLists.txt; see
// docs/checklists/framework.md.
namespace ydl::framework {

using Environment = std::map<std::string, std::string>;

// The job before it has places: its roles, how many tasks each has and what they run.
struct Shape {
  struct Role {
    std::string name;
    int count = 1;
    std::vector<std::string> command = {};
    bool is_elastic = false;  // the job may go on with fewer
  };
  std::vector<Role> roles;

  [[nodiscard]] int count(std::string_view role) const;
  [[nodiscard]] bool is_elastic(std::string_view role) const;
};

// The job when every task that it has now has a place: those of an elastic role that it goes on without are not here.
struct Gang {
  struct Member {
    core::TaskId id;
    std::string host;                  // name or address its peers connect to
    std::vector<std::uint16_t> ports;  // held for it there
    int vcores = 1;
    // What the task is told as its number within the role. In an elastic role whose tasks start again together this is
    // its position, without gaps; elsewhere that of its id, which never changes. Nothing: that of its id.
    std::optional<int> index = std::nullopt;
  };
  std::string job_id;
  int start = 1;  // counts the starts of the whole gang
  int max_starts = 1;
  std::vector<Member> members;  // roles in the order of the job, indices ascending
  std::string scheduler_host;   // of the parameter-server scheduler, where the framework has one
  std::uint16_t scheduler_port = 0;

  [[nodiscard]] const Member& member(const core::TaskId& id) const;
  [[nodiscard]] bool has(const core::TaskId& id) const { return find(id) != nullptr; }
  // The first of the role: the one that the others find each other by.
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
  std::string_view restart_reason = {};  // why a task cannot start again alone and anywhere; may be empty
};

// What ydl runs for the tasks of a job so that they find each other.
enum class Tracker {
  none,
  pslite,  // the parameter server's scheduler; its address is in Gang
};

// A Python environment with every package pinned, for jobs that name none.
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

  // The role that `--n` counts, and the roles known; none known means that any name will do.
  [[nodiscard]] virtual std::string_view main_role() const { return "worker"; }
  [[nodiscard]] virtual std::span<const std::string_view> roles() const { return {}; }

  // Whether roles and counts fit together, beyond each role's being known.
  [[nodiscard]] virtual core::Result<void> validate(const Shape&) const { return {}; }

  [[nodiscard]] virtual RoleTraits traits(const Shape& shape, std::string_view role) const = 0;

  // How many ports must be held for a task before anybody starts.
  [[nodiscard]] virtual int ports(const Shape& shape, const core::TaskId& task) const = 0;

  // Whether its tasks can use GPUs, so that users expect to see them.
  [[nodiscard]] virtual bool uses_gpus() const { return true; }

  [[nodiscard]] virtual Tracker tracker() const { return Tracker::none; }

  // The role that `--s` counts, with its count where the job does not give one. Nothing: the framework has no servers.
  [[nodiscard]] virtual std::optional<Shape::Role> default_servers(int /*workers*/) const { return std::nullopt; }

  // What a Python script runs with on a cluster, where hosts rarely have the framework. Nothing: the hosts' own Python.
  [[nodiscard]] virtual std::optional<DefaultEnvironment> default_environment() const { return std::nullopt; }

  // Corrects arguments that do not mean what their writer thinks; returns what to tell them, one sentence each.
  [[nodiscard]] virtual std::vector<std::string> correct_arguments(std::vector<std::string>&) const { return {}; }

  // What a line of a task's log says about how far it is, in the framework's own words; `argv` is the task's command.
  struct LogProgress {
    std::optional<double> fraction;  // 0 to 1, where the line and the command tell
    std::string text;
  };
  [[nodiscard]] virtual std::optional<LogProgress> read_progress(std::string_view /*line*/,
                                                                 std::span<const std::string> /*argv*/) const {
    return std::nullopt;
  }

  // What the framework itself reads. The YDL_* variables of every task come from the functions below.
  [[nodiscard]] virtual Environment environment(const Gang& gang, const core::TaskId& task) const = 0;

  // Variables that name every task are long, and differ only at their end: their beginnings, which are the same for all
  // tasks. environment() gives the rest of them.
  [[nodiscard]] virtual Environment beginnings(const Gang&) const { return {}; }
};

[[nodiscard]] std::span<const Framework* const> all();
[[nodiscard]] core::Result<const Framework*> find(std::string_view name);

// Every role known to the framework, and what the framework itself asks for.
[[nodiscard]] core::Result<void> check(const Framework& framework, const Shape& shape);

// Where every task of the job is, as JSON: {"worker":[{"host":"127.0.0.1","ports":[41375]},...],...}. The agent puts it
// into YDL_TASKS_FILE and YDL_TASKS_JSON.
[[nodiscard]] std::string tasks_json(const Gang& gang);
// YDL_JOB_ID, YDL_ROLE, YDL_INDEX and YDL_PORTS; in an elastic role YDL_TASK, too, as the index may be another one.
[[nodiscard]] Environment task_environment(const Gang& gang, const core::TaskId& task);

// The kernel starts no program with a variable longer than this, its name included.
inline constexpr std::size_t kLongestVariable = (std::size_t{128} << 10U) - 2;  // less "=" and the final NUL
// Errors (usage): a variable that is longer, by name.
[[nodiscard]] core::Result<void> check_length(std::string_view name, std::size_t value_size);

// "host:port" of a member's first port.
[[nodiscard]] std::string address(const Gang::Member& member);

}  // namespace ydl::framework

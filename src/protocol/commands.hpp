#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"
#include "job/types.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/json/fwd.hpp>

// What a master tells an agent to do.
namespace ydl::protocol {

using core::name;

// A file or folder that appears in a task's working directory under `name`.
struct Link {
  std::string target;
  std::string name;
};
BOOST_DESCRIBE_STRUCT(Link, (), (target, name))

// A part of a Python environment: a tar archive, compressed with zstd, that the agent unpacks once per host and user.
struct PackedFolder {
  std::string archive;         // a path in the container's directory
  std::string hash;            // SHA-256 of the archive
  std::string name;            // of the unpacked folder in the task's working directory
  std::uint64_t bytes = 0;     // of all unpacked files
  std::uint64_t files = 0;     // the number of members
  std::string glibc;           // the oldest version of glibc with which its programs run: "2.36"; empty: any
  std::string packages_glibc;  // the same for the packages, which may contain files that are not used
};
BOOST_DESCRIBE_STRUCT(PackedFolder, (), (archive, hash, name, bytes, files, glibc, packages_glibc))

struct PackedEnvironment {
  std::vector<PackedFolder> folders;     // unpacked before the task starts, and linked into the working directory
  std::vector<std::string> python_path;  // folders of the working directory that come first on the task's PYTHONPATH
};
BOOST_DESCRIBE_STRUCT(PackedEnvironment, (), (folders, python_path))

// A file or directory of HDFS that appears in a task's working directory under `name`.
struct Input {
  std::string path;
  std::string name;
};
BOOST_DESCRIBE_STRUCT(Input, (), (path, name))

// What a task runs inside of, where no NodeManager does it: started by the agent, in the foreground.
struct Image {
  enum class Pull { missing, always, never };  // when it is fetched

  std::string runtime;  // "podman" or "docker"
  std::string image;
  std::vector<std::string> options = {};  // of `podman run`, as the user gave them
  std::string network = "host";           // where ports are held and peers connect to
  Pull pull = Pull::missing;
};
BOOST_DESCRIBE_STRUCT(Image, (), (runtime, image, options, network, pull))

// What a task may continue from: results that were saved while it ran and those at its end, of which the newer ones
// count. Folders of HDFS, or of this machine.
struct Restorable {
  std::string saves;
  std::string results;
};
BOOST_DESCRIBE_STRUCT(Restorable, (), (saves, results))

// What a task that asks for no GPUs sees of those of its host.
enum class HostGpus {
  hidden,
  hidden_with_note,  // and the user is told so if the host has any
  visible,
};

// The parameter server's scheduler of one start of an MXNet job. The agent of an attempt runs it from Prepare to
// Release.
struct SchedulerPlan {
  int workers = 1;
  int servers = 1;
  core::Millis registration_timeout{0};  // 0: none
  std::string listen;                    // numeric: the address that it listens on
  bool takes_any_address = false;        // tasks have a network of their own, and register from any address
};
BOOST_DESCRIBE_STRUCT(SchedulerPlan, (), (workers, servers, registration_timeout, listen, takes_any_address))

// Hold ports and GPUs, make the working directory. Paths on this machine may be relative: to the agent's own directory,
// and that of logs to the agent's folder of logs.
struct Prepare {
  core::AttemptId attempt;
  int ports = 0;
  std::optional<std::pair<std::uint16_t, std::uint16_t>> port_range;
  std::vector<std::uint16_t> same_ports;  // not empty: hold exactly these
  int gpus = 0;
  HostGpus host_gpus = HostGpus::hidden;
  std::uint64_t memory_limit = 0;  // bytes; 0: none
  int vcores_limit = 0;            // 0: none
  std::string working_directory;
  std::string results_directory;
  std::string log_directory;
  std::string linked_directory;  // all its entries are linked into the working directory; may be empty
  std::vector<Link> links;
  // Folders of the working directory whose programs come first on the task's PATH, unless its Launch sets that.
  std::vector<std::string> path_first;
  std::optional<PackedEnvironment> packed;
  // Absolute paths in HDFS. If they are empty, logs and results stay on this machine.
  std::string remote_logs;     // stdout and stderr are copied to this folder while the task runs
  std::string remote_results;  // results_directory is filled from this folder before the start, and saved to it
  std::vector<Input> inputs;   // downloaded before the task starts
  std::optional<Image> image;
  std::string remote_saves;                // results are saved to this folder while the task runs; empty: they are not
  core::Millis save_every{0};              // the shortest time between two saves
  std::vector<Restorable> restore;         // the first one that is not empty becomes the task's YDL_RESTORE_DIR
  core::Millis stall_timeout{0};           // a task that writes nothing for this long is reported; 0: never
  std::optional<SchedulerPlan> scheduler;  // it needs one more port, the last one in Prepared
};
BOOST_DESCRIBE_STRUCT(Prepare, (),
                      (attempt, ports, port_range, same_ports, gpus, host_gpus, memory_limit, vcores_limit,
                       working_directory, results_directory, log_directory, linked_directory, links, path_first, packed,
                       remote_logs, remote_results, inputs, image, remote_saves, save_every, restore, stall_timeout,
                       scheduler))

// The number of ports that the agent reports once it has prepared the task.
[[nodiscard]] inline int ports_reported(const Prepare& prepare) {
  return prepare.ports + (prepare.scheduler ? 1 : 0);
}

// What all launches in one start of a gang have in common. Its size grows with the number of tasks, so it is stored and
// sent only once.
struct GangFacts {
  int start = 1;      // the number of the start of all tasks
  std::string tasks;  // JSON: hosts and ports of all tasks, by role and index
  // The common beginnings of variables whose ends differ: TF_CONFIG names first all tasks and then the task itself.
  std::map<std::string, std::string> beginnings;
};

struct Launch {
  core::AttemptId attempt;
  std::vector<std::string> argv;
  std::map<std::string, std::string> env = {};             // these override the agent's own
  std::vector<std::string> continued = {};                 // variables of `env` that continue a beginning of the gang
  std::shared_ptr<const GangFacts> gang = nullptr;         // null: the task learns of no other task
  std::shared_ptr<const std::string> gang_text = nullptr;  // the same as encode_gang() wrote it; only in the master
};
BOOST_DESCRIBE_STRUCT(Launch, (), (attempt, argv, env, continued))

struct Stop {
  core::AttemptId attempt;
  core::Millis grace{0};
  bool writes_stacks = false;  // the task hangs: first write the stacks of its processes to its log
};
BOOST_DESCRIBE_STRUCT(Stop, (), (attempt, grace, writes_stacks))

// A task of the gang will lose its container. The agent creates the file that YDL_PREEMPTION_FILE names and saves what
// the task has written. It sends SIGTERM to processes of that task which handle the signal.
struct Warn {
  core::AttemptId attempt;
  core::TaskId task;  // the one that will lose it
  job::Cause cause = job::Cause::preempted;
  core::Millis within{0};
};
BOOST_DESCRIBE_STRUCT(Warn, (), (attempt, task, cause, within))

// The task keeps its container after all. The agent removes the file.
struct CallOff {
  core::AttemptId attempt;
};
BOOST_DESCRIBE_STRUCT(CallOff, (), (attempt))

// ---- commands for the agent whose Prepare has a scheduler. A restarted master sends them again.
struct SchedulerNode {
  core::AttemptId attempt;
  std::string host;        // the host that it registers from
  std::uint16_t port = 0;  // 0: any
};
BOOST_DESCRIBE_STRUCT(SchedulerNode, (), (attempt, host, port))

// These nodes are about to start. The scheduler accepts registrations only after the first of these commands.
struct SchedulerExpect {
  core::AttemptId attempt;
  std::string host;  // the scheduler's host as the tasks know it
  std::vector<SchedulerNode> nodes;
  std::vector<std::string> addresses;         // more addresses of the job's hosts, which may have several each
  std::optional<int> workers = std::nullopt;  // their number, if it may differ between starts
};
BOOST_DESCRIBE_STRUCT(SchedulerExpect, (), (attempt, host, nodes, addresses, workers))

struct SchedulerEnded {
  core::AttemptId attempt;
  core::AttemptId node;
  job::MemberEnded::Next next = job::MemberEnded::Next::unknown;
  std::string reason;
};
BOOST_DESCRIBE_STRUCT(SchedulerEnded, (), (attempt, node, next, reason))

enum class LogStream { standard_output, standard_error };  // the names are those of the log files

// Read up to `limit` bytes of a log from `offset`. The agent answers with a LogPiece that has the same token.
struct ReadLog {
  core::AttemptId attempt;
  LogStream stream = LogStream::standard_output;
  std::uint64_t offset = 0;
  std::uint64_t limit = 0;
  std::uint64_t token = 0;
};
BOOST_DESCRIBE_STRUCT(ReadLog, (), (attempt, stream, offset, limit, token))

// Release what Prepare has taken. A task that still runs is killed.
struct Release {
  core::AttemptId attempt;
};
BOOST_DESCRIBE_STRUCT(Release, (), (attempt))

// End all tasks, then the agent itself.
struct Shutdown {};
BOOST_DESCRIBE_STRUCT(Shutdown, (), ())

// Commands that a backend passes on to the agent of an attempt without acting on them.
using Notice = std::variant<Warn, CallOff, SchedulerExpect, SchedulerEnded>;

[[nodiscard]] inline bool is_about_task(const Notice& notice) {
  return std::holds_alternative<Warn>(notice) || std::holds_alternative<CallOff>(notice);
}

using Command =
    std::variant<Prepare, Launch, Stop, Warn, CallOff, SchedulerExpect, SchedulerEnded, ReadLog, Release, Shutdown>;

[[nodiscard]] boost::json::object to_json(const Command& command);
[[nodiscard]] core::Result<Command> command_from_json(const boost::json::object& object);

}  // namespace ydl::protocol

template <>
struct ydl::core::EnumNames<ydl::protocol::Image::Pull> {
  static constexpr auto kNames = names_up_to(protocol::Image::Pull::never, "missing", "always", "never");
};
template <>
struct ydl::core::EnumNames<ydl::protocol::HostGpus> {
  static constexpr auto kNames = names_up_to(protocol::HostGpus::visible, "hidden", "hidden_with_note", "visible");
};
template <>
struct ydl::core::EnumNames<ydl::protocol::LogStream> {
  static constexpr auto kNames = names_up_to(protocol::LogStream::standard_error, "stdout", "stderr");
};

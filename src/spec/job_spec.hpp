#pragma once

#include "core/clock.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::spec {

inline constexpr int kVersion = 1;

// The value of python_env that names the environment from which the job is submitted.
inline constexpr std::string_view kEnvHere = "here";

// The resources of one task of a role. An empty value means the default of the role; on this machine it means no limit.
struct Resources {
  std::optional<std::uint64_t> memory = std::nullopt;  // bytes
  std::optional<int> vcores = std::nullopt;
  std::optional<int> gpus = std::nullopt;  // whole GPUs
  // node label; this and all following members are used on clusters only
  std::optional<std::string> label = std::nullopt;
  std::vector<std::string> hosts = {};                  // only on these or on `racks`; both empty: anywhere
  std::vector<std::string> racks = {};                  // only on these or on `hosts`
  std::optional<std::string> placement = std::nullopt;  // spread | pack; empty: spread
  std::map<std::string, int> types = {};                // other resource types of the cluster: {"yarn.io/fpga": 1}

  bool operator==(const Resources&) const = default;
};

struct Role {
  std::string name;
  int count = 1;
  // the minimum number of tasks for the job to continue, with `count` as maximum; empty: all
  std::optional<int> least;
  std::optional<std::string> kind;         // decider | service | side | evaluator; empty: defined by the framework
  std::vector<std::string> command;        // empty: the command of the job
  std::map<std::string, std::string> env;  // overrides that of the job
  Resources resources;
  std::optional<int> retries;  // empty: that of the job
  // alone | all: which tasks are restarted after a failure; empty: defined by the framework
  std::optional<std::string> restart;
  std::optional<int> ports;  // ports reserved per task in addition to those of the framework

  bool operator==(const Role&) const = default;
};

// A file or folder that is available as `name` in the working directory of every task.
struct FileRef {
  std::string source;
  std::string name;  // empty: the last component of the source

  bool operator==(const FileRef&) const = default;
};

// The image in which every task runs.
struct Image {
  std::string name;
  // nodemanager | podman | docker; empty: the default of the cluster
  std::optional<std::string> runtime = std::nullopt;
  std::vector<std::string> mounts = {};               // SOURCE:TARGET[:ro|rw]
  std::optional<std::string> network = std::nullopt;  // empty: that of the host
  std::optional<std::string> pull = std::nullopt;     // missing | always | never
  std::vector<std::string> options = {};              // for `podman run` or `docker run`
  // whether to run the image's own entry point; empty: the default of the cluster
  std::optional<bool> entry_point = std::nullopt;

  bool operator==(const Image&) const = default;
};

// The users other than the owner who may view and stop a job on a cluster (core/access_list.hpp); empty: only the
// administrators of the cluster.
struct Acl {
  std::optional<std::string> view = std::nullopt;
  std::optional<std::string> modify = std::nullopt;

  bool operator==(const Acl&) const = default;
};

// The rule for hosts that a job avoids.
struct Blacklist {
  std::string mode = "decay";                   // decay | strict | off
  int failures = 2;                             // failures on a host until it is avoided; only for mode decay
  core::Millis forget = std::chrono::hours(1);  // after this time a failure no longer counts; only for mode decay

  bool operator==(const Blacklist&) const = default;
};

// A job as described by its file or the command line, with valid values. Whether roles and framework fit together is
// checked by the framework.
struct JobSpec {
  int version = kVersion;
  std::string name;  // empty: derived from the command
  std::string framework = "none";
  std::vector<std::string> command;
  std::map<std::string, std::string> env;
  std::vector<Role> roles;
  std::vector<FileRef> files;
  std::vector<FileRef> archives;  // unpacked: `name` is a folder in the task's working directory
  // hdfs://… that are available in the working directory of each task; clusters only
  std::vector<FileRef> inputs;
  std::vector<std::string> name_nodes;       // hdfs://… and viewfs://… that tasks use themselves; clusters only
  std::optional<std::uint64_t> files_limit;  // limit of the total bytes of files for the tasks; empty: the default
  bool auto_files = true;                    // the files in the directory of submission are available to each task
  std::optional<std::string> directory;      // the directory of submission, to which relative paths refer
  std::optional<std::string> python;         // interpreter for commands that are .py files
  // an environment to upload: a folder, an archive, a requirements.txt, or kEnvHere
  std::optional<std::string> python_env;
  std::optional<std::string> python_version;  // "3.11": of an environment that is built for the job
  std::vector<std::string> pip_packages;      // added to the environment, as in a requirements file
  std::optional<std::string> requirements;    // a requirements file whose packages are added
  std::optional<Image> image;                 // contains its own interpreter
  std::optional<std::string> queue;           // queue of the cluster; empty: its default
  std::optional<std::string> am;              // managed | unmanaged: where the master runs on a cluster
  std::optional<int> priority;                // priority among the jobs of a queue; a higher number is more important
  Resources am_resources;                     // of the master's container: memory, vcores, label
  Acl acl;
  std::optional<int> retries;  // per role; empty: the default of the cluster
  int job_retries = 0;
  bool fail_fast = true;  // an error that would occur on every host ends the job
  Blacklist blacklist;
  // minimum time between saves of results while a task runs; clusters only
  core::Millis save_every = core::Seconds(30);
  std::optional<core::Millis> grow_every;   // minimum time between restarts of all tasks to include more tasks
  std::optional<std::string> restore_from;  // the job from whose saves and results the tasks continue
  core::Millis allocation_timeout = core::Seconds(300);
  core::Millis start_timeout = core::Seconds(120);
  // limit for started tasks to connect to each other, if ydl can see it
  core::Millis rendezvous_timeout = core::Seconds(600);
  core::Millis run_timeout = core::Millis(0);
  core::Millis stop_grace = core::Seconds(10);
  core::Millis evaluator_grace = core::Seconds(600);
  // tasks without output for this time count as hanging; empty: no limit
  std::optional<core::Millis> stall_timeout;
  core::Millis orphan_timeout = core::Seconds(1800);  // how long tasks on a cluster continue without a master
  core::Millis blind_timeout = core::Seconds(300);    // how long a master continues without ResourceManager and HDFS

  bool operator==(const JobSpec&) const = default;
};

}  // namespace ydl::spec

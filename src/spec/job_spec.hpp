#pragma once

#include "core/clock.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ydl::spec {

inline constexpr int kVersion = 1;

// What one task of a role asks of its host. Empty means "the default of the role" and limits nothing on this machine.
struct Resources {
  std::optional<std::uint64_t> memory = std::nullopt;  // bytes
  std::optional<int> vcores = std::nullopt;
  std::optional<int> gpus = std::nullopt;               // whole GPUs
  std::optional<std::string> label = std::nullopt;      // node label; this and what follows on clusters only
  std::vector<std::string> hosts = {};                  // only there, or on `racks`; both empty: anywhere
  std::vector<std::string> racks = {};                  // only there, or on `hosts`
  std::optional<std::string> placement = std::nullopt;  // spread | pack; empty: spread
  std::map<std::string, int> types = {};                // others that the cluster counts: {"yarn.io/fpga": 1}

  bool operator==(const Resources&) const = default;
};

struct Role {
  std::string name;
  int count = 1;
  std::optional<int> least;                // the job goes on with this many, and `count` is the most; empty: with all
  std::optional<std::string> kind;         // decider | service | side | evaluator; empty: the framework knows
  std::vector<std::string> command;        // empty: the job's command
  std::map<std::string, std::string> env;  // over the job's
  Resources resources;
  std::optional<int> retries;          // empty: the job's
  std::optional<std::string> restart;  // alone | all: who starts again when a task failed; empty: the framework knows
  std::optional<int> ports;            // ports held for each task beyond what the framework needs

  bool operator==(const Role&) const = default;
};

// A file or folder that every task finds in its working directory under `name`.
struct FileRef {
  std::string source;
  std::string name;  // empty: the source's last component

  bool operator==(const FileRef&) const = default;
};

// What every task runs inside of.
struct Image {
  std::string name;
  std::optional<std::string> runtime = std::nullopt;  // nodemanager | podman | docker; empty: as is usual there
  std::vector<std::string> mounts = {};               // SOURCE:TARGET[:ro|rw]
  std::optional<std::string> network = std::nullopt;  // empty: the host's
  std::optional<std::string> pull = std::nullopt;     // missing | always | never
  std::vector<std::string> options = {};              // of `podman run` or `docker run`
  std::optional<bool> entry_point = std::nullopt;     // whether the image's own is run; empty: as is usual there

  bool operator==(const Image&) const = default;
};

// Who besides its owner may see and stop a job on a cluster (core/access_list.hpp); empty: the cluster's
// administrators.
struct Acl {
  std::optional<std::string> view = std::nullopt;
  std::optional<std::string> modify = std::nullopt;

  bool operator==(const Acl&) const = default;
};

// Which hosts a job does not use again.
struct Blacklist {
  std::string mode = "decay";                   // decay | strict | off
  int failures = 2;                             // of a host, until it is avoided; of mode decay
  core::Millis forget = std::chrono::hours(1);  // after this time a failure no longer counts; of mode decay

  bool operator==(const Blacklist&) const = default;
};

// A job as its file or the command line describes it, checked for form. Whether roles and framework fit together is
// the framework's to say.
struct JobSpec {
  int version = kVersion;
  std::string name;  // empty: made from the command
  std::string framework = "none";
  std::vector<std::string> command;
  std::map<std::string, std::string> env;
  std::vector<Role> roles;
  std::vector<FileRef> files;
  std::vector<FileRef> archives;             // unpacked: `name` is a folder in the task's working directory
  std::vector<FileRef> inputs;               // hdfs://… that each task finds in its working directory; clusters only
  std::vector<std::string> name_nodes;       // hdfs://… and viewfs://… that tasks use themselves; clusters only
  std::optional<std::uint64_t> files_limit;  // bytes of all that travels to the tasks; empty: the default
  bool auto_files = true;                    // what lies in the directory of submission is found in each task's
  std::optional<std::string> directory;      // of submission; relative paths mean what they mean there
  std::optional<std::string> python;         // interpreter for commands that are .py files
  std::optional<std::string> python_env;     // one that travels: a folder, an archive or a requirements.txt
  std::optional<Image> image;                // brings its own interpreter
  std::optional<std::string> queue;          // of a cluster; empty: its default
  std::optional<std::string> am;             // managed | unmanaged: where the master runs on a cluster
  std::optional<int> priority;               // among the jobs of a queue; higher is more important
  Resources am_resources;                    // of the master's container: memory, vcores, label
  Acl acl;
  std::optional<int> retries;  // per role; empty: as many as is usual on the cluster
  int job_retries = 0;
  bool fail_fast = true;  // an error that is the same on every host ends the job
  Blacklist blacklist;
  core::Millis save_every = core::Seconds(30);  // how often, at most, results are saved while a task runs; clusters
  std::optional<core::Millis> grow_every;       // how often, at most, all tasks start again to take more in
  std::optional<std::string> restore_from;      // the job whose saves and results the tasks continue from
  core::Millis allocation_timeout = core::Seconds(300);
  core::Millis start_timeout = core::Seconds(120);
  core::Millis rendezvous_timeout = core::Seconds(600);  // for started tasks to find each other, where ydl sees it
  core::Millis run_timeout = core::Millis(0);
  core::Millis stop_grace = core::Seconds(10);
  core::Millis evaluator_grace = core::Seconds(600);
  std::optional<core::Millis> stall_timeout;          // tasks that write nothing for this long hang; empty: none do
  core::Millis orphan_timeout = core::Seconds(1800);  // for tasks on a cluster to go on without a master
  core::Millis blind_timeout = core::Seconds(300);    // for a master to answer without ResourceManager and HDFS

  bool operator==(const JobSpec&) const = default;
};

}  // namespace ydl::spec

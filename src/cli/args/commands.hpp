#pragma once

#include "cli/args/cluster_options.hpp"
#include "cli/args/job_selection.hpp"
#include "cli/fs/fs_command.hpp"
#include "core/clock.hpp"
#include "core/cluster_kind.hpp"
#include "master/process.hpp"
#include "spec/job_spec.hpp"
#include "ui/display.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// What each command was asked to do: the command line after parsing, before anything happens.
namespace ydl::cli {

// What every command takes.
struct CommonOptions {
  std::optional<core::Named<core::ClusterKind>> cluster = {};  // nothing: auto
  ui::Mode output = ui::Mode::automatic;
};

// How a job is run, whether the command line or a file describes it.
struct RunOptions {
  CommonOptions common;
  bool detach = false;
  bool dry_run = false;
  ui::Detail detail = ui::Detail::gang;
  std::string show_logs;  // whose lines are shown; empty: as is usual for the output
  std::string results;    // empty: in the job's folder
  std::optional<std::pair<std::uint16_t, std::uint16_t>> port_range;
  std::string resource_manager;           // -hip: where no configuration names one
  std::string default_fs;                 // --default-fs: over that of the configuration
  std::vector<std::string> cluster_only;  // options given that only a cluster understands
  std::vector<std::string> notes;         // what is said before the job starts
};

struct Run {
  RunOptions options;
  spec::JobSpec spec;
};
struct Submit {
  RunOptions options;
  std::string file;
  ClusterOptions on_cluster;
};
struct Follow {
  CommonOptions common;
  std::string job;  // empty: the newest that runs
  ui::Detail detail = ui::Detail::gang;
  std::string show_logs;  // as of Run
};
struct List {
  CommonOptions common;
  JobSelection selection;
  int limit = 50;
};
struct Status {
  CommonOptions common;
  std::string job;
};
struct Logs {
  CommonOptions common;
  std::string job;
  std::string task;    // or a role, "worker"; empty: all
  std::string stream;  // "stdout", "stderr" or empty: both
  bool follow = false;
  int attempt = 0;  // 0: the latest
  std::optional<std::uint64_t> tail;
  std::optional<core::WallTime> since;
  std::string grep;
  bool timestamps = false;
  std::string target;  // a folder of this machine to copy the logs to; empty: they are shown
  bool force = false;  // files that are there are replaced
};
struct Events {
  CommonOptions common;
  std::string job;
  bool follow = false;
  bool timeline = false;
};
struct Kill {
  CommonOptions common;
  std::vector<std::string> jobs;
  std::optional<core::Millis> grace;
};
struct Remove {
  CommonOptions common;
  std::vector<std::string> jobs;  // or those that are selected
  JobSelection selection;
  bool yes = false;  // do not ask
  bool dry_run = false;
};
struct Results {
  CommonOptions common;
  bool get = false;  // copy them here; else list them
  std::string job;
  std::string task;                // empty: all
  std::vector<std::string> names;  // of files or folders, as `ls` prints them; empty: all
  std::string target;              // a folder of this machine; empty: named like the job
  bool force = false;              // files that are there are replaced
};
struct Env {
  enum class Verb { ls, gc, why };

  CommonOptions common;
  Verb verb = Verb::ls;
  std::string job;  // why: empty: the newest
  int older_than_days = 30;
  std::optional<int> keep_jobs_days;  // empty: as the settings say
  bool dry_run = false;
};
struct Doctor {
  CommonOptions common;
  bool probe = false;  // run a job of one task
};
struct Completion {
  std::string shell;
};
// Hidden: the shells' completion scripts ask what may stand in place of the last word.
struct Complete {
  std::string program;
  std::vector<std::string> words;
};
struct ManPage {};
struct ShowText {
  std::string text;
};
// Hidden: this program as the parts of a running job.
struct MasterProcess {
  std::string folder;
  bool detached = false;
  const master::ProcessKind* kind = nullptr;
};
struct AgentProcess {
  std::string id;
  std::string credentials;
  std::string logs = {};
  std::string expected_image = {};
  std::string unlinked_files = {};
  bool lifeline = false;
  std::int64_t outlives_master_ms = 5000;
  std::int64_t hdfs_patience_ms = 300'000;
};

// Hidden: the process behind libhdfs.so, and the folder with that library.
struct HdfsHelper {};
struct HdfsLibrary {};

using Command =
    std::variant<Run, Submit, Follow, List, Status, Logs, Events, Kill, Remove, Results, Env, Doctor, Fs, Completion,
                 Complete, ManPage, ShowText, MasterProcess, AgentProcess, HdfsHelper, HdfsLibrary>;

// One file each; the exit code comes back.
int execute(const Run& command);
int execute(const Submit& command);
int execute(const Follow& command);
int execute(const List& command);
int execute(const Status& command);
int execute(const Logs& command);
int execute(const Events& command);
int execute(const Kill& command);
int execute(const Remove& command);
int execute(const Results& command);
int execute(const Env& command);
int execute(const Doctor& command);
int execute(const Fs& command);
int execute(const Completion& command);
int execute(const Complete& command);
int execute(const ManPage& command);
int execute(const ShowText& command);
int execute(const MasterProcess& command);
int execute(const AgentProcess& command);
int execute(const HdfsHelper& command);
int execute(const HdfsLibrary& command);

}  // namespace ydl::cli

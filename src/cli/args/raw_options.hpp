#pragma once

#include "cli/args/commands.hpp"
#include "cli/args/job_options.hpp"
#include "core/result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::cli {

// The values as they stand on the command line, before they are checked.
struct RawOptions {
  std::string cluster = "auto";
  std::string output = "auto";
  JobOptions job;
  ClusterOptions on_cluster;
  std::string name, show_logs, results, port_range, host_ip, host_ip_typed, default_fs, jar, yarn_scripts;
  bool detach = false;
  bool dry_run = false;
  bool follow = false;
  bool timeline = false;
  bool verbose = false;
  bool now = false;
  bool force = false;
  bool detached = false;
  bool timestamps = false;
  bool probe = false;
  bool yes = false;
  std::string what, target;
  std::vector<std::string> ids;
  std::vector<std::string> names;
  std::string states, since, ended_before;
  std::string master = "local";
  bool lifeline = false;
  std::int64_t outlives_master_ms = 5000;
  std::int64_t hdfs_patience_ms = 300'000;
  std::string grace, file, id, task, stream, shell, folder, credentials, logs, expected_image, unlinked_files;
  int limit = 50;
  int older_than = 30;
  std::optional<int> keep_jobs;
  int attempt = 0;
  std::optional<std::uint64_t> tail;
  std::string grep;
};

[[nodiscard]] inline ui::Detail detail_of(const RawOptions& raw) {
  return raw.verbose ? ui::Detail::tasks : ui::Detail::gang;
}

// The commands that several programs or several options lead to. Errors: usage, each naming its option.
[[nodiscard]] core::Result<Command> run_command(const RawOptions& raw);
[[nodiscard]] core::Result<Command> submit_command(const RawOptions& raw);
[[nodiscard]] core::Result<Command> list_command(const RawOptions& raw);
[[nodiscard]] core::Result<Command> kill_command(const RawOptions& raw);
[[nodiscard]] core::Result<Command> remove_command(const RawOptions& raw);
[[nodiscard]] core::Result<Command> logs_command(const RawOptions& raw);
[[nodiscard]] core::Result<Command> events_command(const RawOptions& raw);
[[nodiscard]] core::Result<Command> results_command(const RawOptions& raw);
[[nodiscard]] core::Result<Command> env_command(const RawOptions& raw);
[[nodiscard]] core::Result<CommonOptions> common_options(const RawOptions& raw);
// What --cluster takes.
[[nodiscard]] std::vector<std::string_view> cluster_words();

// The rest are alike: common options plus a few fields.
template <class T, class Fill>
core::Result<Command> simple_command(const RawOptions& raw, Fill fill) {
  const auto common = common_options(raw);
  if (!common) return core::fail(common.error());
  T command;
  command.common = *common;
  fill(command);
  return command;
}

}  // namespace ydl::cli

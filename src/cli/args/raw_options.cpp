// From the words of a command line to a command.
#include "cli/args/raw_options.hpp"

#include "cli/args/past_time.hpp"
#include "core/strings.hpp"
#include "spec/options.hpp"
#include "spec/problems.hpp"
#include "spec/rules.hpp"
#include "ui/screen.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace ydl::cli {

using core::Errc;
using core::fail;
using core::Result;

std::vector<std::string_view> cluster_words() {
  std::vector<std::string_view> words{"auto"};
  std::ranges::copy(core::EnumNames<core::ClusterKind>::kNames, std::back_inserter(words));
  return words;
}

Result<CommonOptions> common_options(const RawOptions& raw) {
  const auto clusters = cluster_words();
  if (std::ranges::find(clusters, raw.cluster) == clusters.end()) {
    return fail(Errc::usage,
                fmt::format("--cluster: unknown cluster {}{} (available: {})", spec::in_quotes(raw.cluster),
                            core::did_you_mean(raw.cluster, clusters), fmt::join(clusters, ", ")));
  }
  const auto mode = ui::parse_mode(raw.output);
  if (!mode) return fail(mode.error());
  CommonOptions options{.output = *mode};
  if (raw.cluster != "auto") options.cluster = core::Named<core::ClusterKind>::parse(raw.cluster);
  return options;
}

namespace {

Result<RunOptions> run_options(const RawOptions& raw) {
  RunOptions options;
  const auto common = common_options(raw);
  if (!common) return fail(common.error());
  options.common = *common;
  options.detach = raw.detach;
  options.dry_run = raw.dry_run;
  options.detail = detail_of(raw);
  options.show_logs = raw.show_logs;
  options.results = raw.results;
  if (!raw.port_range.empty()) {
    const auto parts = core::split(raw.port_range, '-');
    const auto first = core::parse_int<std::uint16_t>(parts.front());
    const auto last = core::parse_int<std::uint16_t>(parts.back());
    if (parts.size() != 2 || !first || !last || *first == 0 || *first > *last) {
      return fail(
          Errc::usage,
          fmt::format("--port-range {}: this is not a range of ports; write FIRST-LAST, for example 20000-20100",
                      raw.port_range));
    }
    options.port_range = {*first, *last};
  }
  if (!raw.host_ip.empty()) options.cluster_only.push_back(raw.host_ip_typed);
  options.resource_manager = raw.host_ip;
  if (!raw.default_fs.empty()) {
    if (auto ok = spec::check_name_node(raw.default_fs); !ok) return fail(ok.error().within("--default-fs"));
    options.cluster_only.emplace_back("--default-fs");
    options.default_fs = raw.default_fs;
  }
  if (!raw.jar.empty()) options.notes.push_back(fmt::format("--jar {} is not needed and ignored", raw.jar));
  if (!raw.yarn_scripts.empty())
    options.notes.push_back(fmt::format("--yarn-scripts {} is not needed and ignored", raw.yarn_scripts));
  return options;
}

}  // namespace

Result<Command> run_command(const RawOptions& raw) {
  auto options = run_options(raw);
  if (!options) return fail(options.error());
  std::error_code error;
  const auto directory = std::filesystem::current_path(error);
  if (error) return fail(Errc::io, fmt::format("the current directory cannot be read: {}", error.message()));
  auto job = make_spec(raw.job, directory.string());
  if (!job) return fail(job.error());
  job = with_cluster_options(*std::move(job), raw.on_cluster);
  if (!job) return fail(job.error());
  std::ranges::move(cluster_only(*job, Spelling::as_options), std::back_inserter(options->cluster_only));
  return Run{*std::move(options), *std::move(job)};
}

Result<Command> submit_command(const RawOptions& raw) {
  auto options = run_options(raw);
  if (!options) return fail(options.error());
  return Submit{*std::move(options), raw.file, raw.on_cluster};
}

namespace {

Result<JobSelection> job_selection(const RawOptions& raw) {
  JobSelection selection;
  if (!raw.states.empty()) {
    auto states = parse_states(raw.states);
    if (!states) return fail(states.error());
    selection.states = *std::move(states);
  }
  if (!raw.since.empty()) {
    const auto since = parse_moment("--since", raw.since);
    if (!since) return fail(since.error());
    selection.since = *since;
  }
  if (!raw.ended_before.empty()) {
    const auto age = core::parse_duration(raw.ended_before);
    if (!age) return fail(age.error().within("--older-than"));
    selection.older_than = *age;
  }
  return selection;
}

}  // namespace

Result<Command> list_command(const RawOptions& raw) {
  auto selection = job_selection(raw);
  if (!selection) return fail(selection.error());
  return simple_command<List>(raw, [&](List& c) {
    c.selection = *std::move(selection);
    c.limit = raw.limit;
  });
}

Result<Command> kill_command(const RawOptions& raw) {
  std::optional<core::Millis> grace;
  if (raw.now) grace = core::Millis(0);
  if (!raw.grace.empty()) {
    const auto parsed = core::parse_duration(raw.grace);
    if (!parsed) return fail(parsed.error().within("--grace"));
    grace = *parsed;
  }
  return simple_command<Kill>(raw, [&](Kill& c) {
    c.jobs = raw.ids;
    c.grace = grace;
  });
}

Result<Command> remove_command(const RawOptions& raw) {
  auto selection = job_selection(raw);
  if (!selection) return fail(selection.error());
  if (raw.ids.empty() && !selection->is_set())
    return fail(Errc::usage, "which jobs? write their IDs, or select jobs with --older-than, --state or --since");
  if (!raw.ids.empty() && selection->is_set()) {
    return fail(Errc::usage,
                "--older-than, --state and --since select jobs; write either these options or the IDs of jobs");
  }
  return simple_command<Remove>(raw, [&](Remove& c) {
    c.jobs = raw.ids;
    c.selection = *std::move(selection);
    c.yes = raw.yes;
    c.dry_run = raw.dry_run;
  });
}

Result<Command> logs_command(const RawOptions& raw) {
  if (!raw.stream.empty() && raw.stream != "stdout" && raw.stream != "stderr") {
    return fail(
        Errc::usage,
        fmt::format("--stream: unknown stream '{}' (available: stdout, stderr; leave it out for both)", raw.stream));
  }
  const std::pair<std::string_view, bool> of_shown[] = {{"--follow", raw.follow},
                                                        {"--tail", raw.tail.has_value()},
                                                        {"--since", !raw.since.empty()},
                                                        {"--grep", !raw.grep.empty()},
                                                        {"--timestamps", raw.timestamps}};
  for (const auto& [option, is_given] : of_shown) {
    if (is_given && !raw.target.empty())
      return fail(Errc::usage, fmt::format("--to copies whole logs: leave out {}", option));
  }
  if (raw.force && raw.target.empty())
    return fail(Errc::usage,
                "--force is about the files that --to writes: name a folder with --to DIR, or leave it out");
  std::optional<core::WallTime> since;
  if (!raw.since.empty()) {
    const auto time = parse_past_time("--since", raw.since, core::wall_now(), ui::local_utc_offset);
    if (!time) return fail(time.error());
    since = *time;
  }
  return simple_command<Logs>(raw, [&](Logs& c) {
    c.job = raw.id;
    c.task = raw.task;
    c.stream = raw.stream;
    c.follow = raw.follow;
    c.attempt = raw.attempt;
    c.tail = raw.tail;
    c.since = since;
    c.grep = raw.grep;
    c.timestamps = raw.timestamps;
    c.target = raw.target;
    c.force = raw.force;
  });
}

Result<Command> events_command(const RawOptions& raw) {
  return simple_command<Events>(raw, [&](Events& c) {
    c.job = raw.id;
    c.follow = raw.follow;
    c.timeline = raw.timeline;
  });
}

Result<Command> results_command(const RawOptions& raw) {
  if (raw.what != "ls" && raw.what != "get")
    return fail(Errc::usage, fmt::format("unknown command 'ydl results {}' (available: ls, get)", raw.what));
  if (raw.what == "ls" && !raw.names.empty())
    return fail(Errc::usage, "`ydl results ls` does not take names; --task lists the files of one task");
  if (!raw.task.empty() && !raw.names.empty())
    return fail(Errc::usage, "--task: the names of the files contain the task already; remove --task");
  return simple_command<Results>(raw, [&](Results& c) {
    c.get = raw.what == "get";
    c.names = raw.names;
    c.job = raw.id;
    c.task = raw.task;
    c.target = raw.target;
    c.force = raw.force;
  });
}

Result<Command> env_command(const RawOptions& raw) {
  const bool is_gc = raw.what == "gc";
  const bool is_why = raw.what == "why";
  if (raw.what != "ls" && !is_gc && !is_why)
    return fail(Errc::usage, fmt::format("unknown command 'ydl env {}' (available: ls, gc, why)", raw.what));
  if (!is_gc && raw.dry_run)
    return fail(Errc::usage, fmt::format("`ydl env {}` does not take --dry-run; use it with `ydl env gc`", raw.what));
  if (!is_why && !raw.id.empty())
    return fail(Errc::usage, fmt::format("`ydl env {}` does not take the id of a job", raw.what));
  return simple_command<Env>(raw, [&](Env& c) {
    c.verb = is_why ? Env::Verb::why : is_gc ? Env::Verb::gc : Env::Verb::ls;
    c.job = raw.id;
    c.older_than_days = raw.older_than;
    c.keep_jobs_days = raw.keep_jobs;
    c.dry_run = raw.dry_run;
  });
}

}  // namespace ydl::cli

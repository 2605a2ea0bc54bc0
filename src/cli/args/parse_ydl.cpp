// The command line of ydl: its commands and their options.
#include "cli/args/grammar.hpp"
#include "cli/args/help.hpp"
#include "cli/args/linked.hpp"
#include "cli/args/output_word.hpp"
#include "cli/args/parse.hpp"
#include "cli/commands/job_names.hpp"
#include "cli/fs/fs_command.hpp"
#include "core/strings.hpp"
#include "core/version.hpp"
#include "framework/framework.hpp"
#include "master/plan.hpp"
#include "spec/problems.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

using core::Errc;
using core::fail;
using core::Result;

constexpr std::string_view kRun = "run";

std::string framework_names() {
  std::vector<std::string> names;
  for (const auto* framework : framework::all()) names.emplace_back(framework->name());
  return core::join(names, ", ");
}

struct Grammar {
  RawOptions raw;
  CLI::App app{"", "ydl"};
  struct Entry {
    CLI::App* app;
    std::string usage;
    std::function<Result<Command>()> make;
  };
  std::vector<Entry> commands;

  CLI::App& add(const std::string& name, const std::string& arguments, const std::string& text,
                std::function<Result<Command>()> make) {
    auto* command = app.add_subcommand(name, text);
    command->set_help_flag();
    commands.push_back({command, fmt::format("ydl {} {}", name, arguments), std::move(make)});
    return *command;
  }

  // ydl starts itself by hidden commands, and then takes no time for what only people type.
  enum class Commands { everything, hidden };

  explicit Grammar(Commands commands = Commands::everything) {
    app.set_help_flag();
    app.require_subcommand(0, 1);
    add_hidden();
    if (commands == Commands::hidden) return;
    auto& run = add("run", "[options] -- COMMAND …", "Run a command as a distributed job and follow it",
                    [this] { return run_command(raw); });
    run.add_option("--framework", raw.job.framework, fmt::format("How tasks find each other: {}", framework_names()))
        ->type_name("NAME")
        ->capture_default_str();
    add_job_options(run, raw);
    add_cluster(run, raw, "Where to run");
    add_output(run, raw);
    group_options(run);

    auto& submit = add("submit", "[options] FILE.yaml", "Run the job that a file describes",
                       [this] { return submit_command(raw); });
    submit.add_option("FILE", raw.file, "The job file, in YAML or JSON")->required();
    add_run_options(submit, raw);
    add_cluster(submit, raw, "Where to run");
    add_output(submit, raw);
    group_options(submit);

    auto& follow = add("follow", "[options] [ID]", "Show a running job until it ends, as `ydl run` does", [this] {
      return simple_command<Follow>(raw, [this](Follow& c) {
        c.job = raw.id;
        c.detail = detail_of(raw);
        c.show_logs = raw.show_logs;
      });
    });
    follow.add_option("ID", raw.id, "The job (default: the newest that runs)")->check(not_empty());
    add_follow_options(follow, raw);
    add_output(follow, raw);

    auto& ls = add("ls", "[options]", "List jobs", [this] { return list_command(raw); });
    add_selection(ls);
    ls.add_option("--limit", raw.limit, "Show the newest N")
        ->type_name("N")
        ->capture_default_str()
        ->check(number_in(kPositive));
    add_cluster(ls, raw, "Which cluster");
    add_output(ls, raw);

    auto& status = add("status", "[options] [ID]", "Show one job and its tasks",
                       [this] { return simple_command<Status>(raw, [this](Status& c) { c.job = raw.id; }); });
    add_job_argument(status);
    add_output(status, raw);

    auto& logs =
        add("logs", "[options] [ID [TASK|ROLE]]", "Show the output of tasks", [this] { return logs_command(raw); });
    add_job_argument(logs);
    logs.add_option("TASK", raw.task, "One task (worker:0), or all tasks of a role (worker; default: all)")
        ->check(not_empty());
    logs.add_flag("-f,--follow", raw.follow, "Follow until the job ends, then print how it ended");
    logs.add_option("--tail", raw.tail, "Begin with the last N lines of each log")
        ->type_name("N")
        ->check(number_in({0, 1'000'000'000}));
    logs.add_option("--since", raw.since, "Begin at a time: 5m ago, 03:13:20, 2026-11-15T03:13:20Z")
        ->type_name("TIME")
        ->check(not_empty());
    logs.add_option("--grep", raw.grep, "Only lines with this text in them (not a regular expression)")
        ->type_name("TEXT")
        ->check(not_empty());
    logs.add_flag("--timestamps", raw.timestamps, "Put the time before each line");
    logs.add_option("--stream", raw.stream, "stdout or stderr (default: both)")->type_name("NAME");
    logs.add_option("--attempt", raw.attempt, "An earlier attempt of the task")
        ->type_name("N")
        ->check(number_in(kPositive));
    logs.add_option("--to", raw.target, "Copy the log files to this folder instead of showing them")
        ->type_name("DIR")
        ->check(not_empty());
    logs.add_flag("--force", raw.force, "With --to: replace files that are there");
    add_output(logs, raw);

    auto& events = add("events", "[options] [ID]", "Show the events of a job", [this] { return events_command(raw); });
    add_job_argument(events);
    events.add_flag("-f,--follow", raw.follow, "Follow until the job ends");
    events.add_flag("--timeline", raw.timeline, "Show how long each task spent in each step");
    add_output(events, raw);

    auto& kill = add("kill", "[options] ID…", "Stop jobs", [this] { return kill_command(raw); });
    kill.add_option("ID", raw.ids, "The jobs; if one of them does not exist, none is stopped")
        ->required()
        ->check(not_empty());
    kill.add_flag("--now", raw.now, "Send SIGKILL at once, without a grace period");
    kill.add_option("--grace", raw.grace, "Time from SIGTERM to SIGKILL (default: the job's)")->type_name("TIME");
    add_output(kill, raw);

    auto& rm = add("rm", "[options] [ID…]", "Delete ended jobs with their logs and results",
                   [this] { return remove_command(raw); });
    rm.add_option("ID", raw.ids, "The jobs, or select them with the next options")->check(not_empty());
    add_selection(rm);
    rm.add_option("--older-than", raw.ended_before, "Jobs that ended at least this long ago, for example 30d")
        ->type_name("TIME")
        ->check(not_empty());
    rm.add_flag("-y,--yes", raw.yes, "Do not ask");
    rm.add_flag("--dry-run", raw.dry_run, "Only show what would be deleted");
    add_output(rm, raw);

    auto& results = add("results", "[options] ls|get [ID [NAME…]]", "List or copy the results of a job",
                        [this] { return results_command(raw); });
    results.add_option("WHAT", raw.what, "ls lists the files, get copies them here")->required();
    add_job_argument(results);
    results.add_option("NAME", raw.names, "get: only these files or folders, named as ls prints them")
        ->check(not_empty());
    results.add_option("--task", raw.task, "One task, for example worker:0 (default: all)")
        ->type_name("TASK")
        ->check(not_empty());
    results.add_option("--to", raw.target, "The folder to copy to (default: named like the job)")
        ->type_name("DIR")
        ->check(not_empty());
    results.add_flag("-f,--force", raw.force, "get: replace existing files");
    add_output(results, raw);

    auto& env = add("env", "ls|gc|why [options] [ID]", "Show or clean up the cache on the cluster",
                    [this] { return env_command(raw); });
    env.add_option("COMMAND", raw.what,
                   "ls: show the cached files; gc: delete unused ones; why: the layers of a job's Python environment")
        ->required();
    add_job_argument(env);
    env.add_option("--older-than", raw.older_than, "gc: delete cached files unused for DAYS days")
        ->type_name("DAYS")
        ->capture_default_str()
        ->check(number_in(kDays));
    env.add_option("--keep-jobs", raw.keep_jobs, "gc: also delete folders of jobs that ended at least DAYS days ago")
        ->type_name("DAYS")
        ->check(number_in(kDays));
    env.add_flag("--dry-run", raw.dry_run, "gc: show what would be deleted without deleting it");
    add_cluster(env, raw, "Which cluster");
    add_output(env, raw);

    auto& doctor = add("doctor", "[options]", "Check this machine and its cluster",
                       [this] { return simple_command<Doctor>(raw, [this](Doctor& c) { c.probe = raw.probe; }); });
    doctor.add_flag("--probe", raw.probe, "Also run a small job of one task");
    add_output(doctor, raw);

    auto& fs = add("fs", "COMMAND …", "Work with files in HDFS: ls, cat, put, get, rm, …",
                   []() -> Result<Command> { return Fs{}; });
    fs.add_option("COMMAND", raw.file, "`ydl fs --help` lists them");

    auto& completion = add("completion", "bash|zsh|fish", "Print shell completion: bash, zsh or fish",
                           [this]() -> Result<Command> { return Completion{raw.shell}; });
    completion.add_option("SHELL", raw.shell, "bash, zsh or fish")->required();
  }

  void add_job_argument(CLI::App& command) {
    command.add_option("ID", raw.id, "The job (default: the newest)")->check(not_empty());
  }

  void add_selection(CLI::App& command) {
    command.add_option("--state", raw.states, "Jobs in one of these states, for example failed,lost")
        ->type_name("STATE[,STATE]")
        ->check(not_empty());
    command.add_option("--since", raw.since, "Jobs submitted then or later: 1h, 2d or a date such as 2026-11-15")
        ->type_name("TIME")
        ->check(not_empty());
  }

  void add_hidden() {
    auto& master = add("__master", "", "", [this]() -> Result<Command> {
      const auto kind = master::find_process_kind(raw.master);
      if (!kind) return core::fail(kind.error());
      return MasterProcess{raw.folder, raw.detached, *kind};
    });
    master.add_option("--folder", raw.folder);
    master.add_option("--master", raw.master);
    master.add_flag("--detached", raw.detached);
    auto& agent = add("__agent", "", "", [this]() -> Result<Command> {
      return AgentProcess{raw.id,
                          raw.credentials,
                          raw.logs,
                          raw.expected_image,
                          raw.unlinked_files,
                          raw.lifeline,
                          raw.outlives_master_ms,
                          raw.hdfs_patience_ms};
    });
    agent.add_option("--id", raw.id)->required();
    agent.add_option("--credentials", raw.credentials);
    agent.add_option("--logs", raw.logs);
    agent.add_option("--expect-image", raw.expected_image);
    agent.add_option("--files", raw.unlinked_files);
    agent.add_flag("--lifeline", raw.lifeline);
    agent.add_option("--outlives-master", raw.outlives_master_ms)->check(CLI::NonNegativeNumber);
    agent.add_option("--hdfs-patience", raw.hdfs_patience_ms)->check(CLI::NonNegativeNumber);
    auto& man = add("__man", "", "", []() -> Result<Command> { return ManPage{}; });
    auto& helper = add("__hdfs", "", "", []() -> Result<Command> { return HdfsHelper{}; });
    auto& library = add("__libhdfs", "", "", []() -> Result<Command> { return HdfsLibrary{}; });
    for (auto* hidden : {&master, &agent, &man, &helper, &library}) hidden->group("");
  }

  // The command that an unknown word may mean: one of other tools' names for it, or one that is spelled alike.
  [[nodiscard]] std::string guess_command(const std::string& word) const {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kOtherNames{{{"stop", "kill"},
                                                                                                {"cancel", "kill"},
                                                                                                {"ps", "ls"},
                                                                                                {"list", "ls"},
                                                                                                {"jobs", "ls"},
                                                                                                {"top", "status"},
                                                                                                {"info", "status"},
                                                                                                {"describe", "status"},
                                                                                                {"attach", "follow"},
                                                                                                {"watch", "follow"},
                                                                                                {"delete", "rm"},
                                                                                                {"start", "run"},
                                                                                                {"exec", "run"},
                                                                                                {"hdfs", "fs"}}};
    std::vector<std::string> names;
    for (const auto& entry : commands) {
      if (!entry.app->get_group().empty()) names.push_back(entry.app->get_name());
    }
    const auto* other = std::ranges::find(kOtherNames, word, &std::pair<std::string_view, std::string_view>::first);
    if (other != kOtherNames.end() && std::ranges::find(names, other->second) != names.end())
      return fmt::format("; did you mean '{}'?", other->second);
    const auto begins = [&](const std::string& name) { return !word.empty() && name.starts_with(word); };
    if (std::ranges::count_if(names, begins) == 1)
      return fmt::format("; did you mean '{}'?", *std::ranges::find_if(names, begins));
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    return core::did_you_mean(word, candidates);
  }

  // The answer to a first word that is not a command.
  [[nodiscard]] std::string refuse_command(const std::string& word) const {
    const auto run = std::ranges::find(commands, "run", [](const Entry& entry) { return entry.app->get_name(); });
    const auto option = word.substr(0, word.find('='));
    if (run != commands.end() && word.starts_with('-') && run->app->get_option_no_throw(option) != nullptr) {
      return fmt::format(
          "the command is missing before {0}; write for example `ydl run {0} …` (`ydl --help` lists the commands)",
          option);
    }
    const auto guess = guess_command(word);
    const bool is_task = word.ends_with(".py") || word.find('/') != std::string::npos ||
                         (guess.empty() && !word.starts_with('-') && master::find_on_path(word));
    if (is_task) {
      return fmt::format("unknown command {}; to run it as a job, write `ydl run -- {}`", spec::in_quotes(word),
                         core::printable(word));
    }
    return fmt::format("unknown command {}{} (`ydl --help` lists them)", spec::in_quotes(word), guess);
  }
};

CommandHelp describe(const Grammar::Entry& entry) {
  auto help = cli::describe(*entry.app, entry.usage);
  help.takes_task = help.name == kRun;
  return help;
}

// `fs` has commands of its own, each with the flags its users know from elsewhere.
Result<Command> fs_command(const std::vector<std::string>& words) {
  const auto end = std::ranges::find(words, "--");
  const bool asks = words.empty() || words.front() == "-h" || std::find(words.begin(), end, "--help") != end;
  if (asks) return ShowText{fs_help()};
  auto command = parse_fs(words);
  if (!command) return fail(command.error());
  return *std::move(command);
}

// A missing argument, with the command as it should be written.
core::Error explain(core::Error error, const Grammar::Entry& entry) {
  constexpr std::string_view kMissing = " is missing";
  if (!error.message.ends_with(kMissing)) return error;
  if (error.message.starts_with("ID")) return {make_error_code(Errc::usage), which_job(entry.app->get_name())};
  return {make_error_code(Errc::usage), fmt::format("{}; write `{}`", error.message, entry.usage)};
}

core::Error refuse_word(const Grammar::Entry& entry, const std::string& word) {
  const auto shown = spec::in_quotes(word);
  const auto name = entry.app->get_name();
  return {make_error_code(Errc::usage),
          word.starts_with('-') ? fmt::format("`ydl {0}` has no option {1}{2} (`ydl {0} --help` lists them)", name,
                                              shown.substr(1, shown.size() - 2), guess_option(*entry.app, word))
                                : fmt::format("`ydl {}` takes no argument {}; write `{}`", name, shown, entry.usage)};
}

}  // namespace

Result<Command> parse_ydl(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front() == "--help" || arguments.front() == "-h" ||
      (arguments.front() == "help" && (arguments.size() == 1 || arguments[1] == "--help" || arguments[1] == "-h"))) {
    return ShowText{top_help()};
  }
  if (arguments.front() == "help") {
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  if (arguments.front() == "--version" && arguments.size() == 2 && arguments.back() == "--verbose")
    return ShowText{version_text()};
  if (arguments.front() == "--version" || arguments.front() == "-V" || arguments.front() == "version") {
    return ShowText{names_json_output(arguments)
                        ? fmt::format("{{\"v\":1,\"type\":\"version\",\"version\":\"{}\"}}\n", core::kVersion)
                        : fmt::format("ydl {}\n", core::kVersion)};
  }
  if (arguments.front() == "__complete") return Complete{"ydl", {arguments.begin() + 1, arguments.end()}};
  Grammar grammar(arguments.front().starts_with("__") ? Grammar::Commands::hidden : Grammar::Commands::everything);
  const auto known =
      std::ranges::find(grammar.commands, arguments.front(), [](const auto& entry) { return entry.app->get_name(); });
  if (known == grammar.commands.end()) {
    return fail(Errc::usage, grammar.refuse_command(arguments.front()));
  }
  auto* command = known->app;
  command->allow_extras();
  std::vector<std::string> words(arguments.begin() + 1, arguments.end());
  if (command->get_name() == "fs") return fs_command(words);
  const auto takes_value = value_options(*command);
  const bool takes_task = command->get_name() == kRun;
  if (takes_task) {
    auto line = split_at_task(words, takes_value);
    words = std::move(line.ours);
    grammar.raw.job.command = std::move(line.task);
  }
  if (takes_task || command->get_name() == "submit") grammar.raw.host_ip_typed = respell(words);
  if (asks_for_help(words, takes_value)) return ShowText{command_help(describe(*known), help_length(words))};
  words.insert(words.begin(), command->get_name());
  if (auto parsed = parse_with(grammar.app, std::move(words)); !parsed)
    return fail(as_typed(explain(parsed.error(), *known), *command, arguments));
  if (takes_task) {
    if (auto all_known = check_ours(*command); !all_known) return fail(all_known.error());
  } else if (const auto extras = command->remaining(); !extras.empty()) {
    return fail(refuse_word(*known, extras.front()));
  }
  auto made = known->make();
  return made ? std::move(made) : fail(as_typed(made.error(), *command, arguments));
}

std::vector<CommandHelp> describe_commands() {
  const Grammar grammar;
  std::vector<CommandHelp> commands;
  for (const auto& entry : grammar.commands) {
    if (!entry.app->get_group().empty()) commands.push_back(describe(entry));
  }
  return commands;
}

}  // namespace ydl::cli

// The grammar of the command line: the only file that knows CLI11.
#include "cli/parse.hpp"

#include "cli/help.hpp"
#include "cli/job_options.hpp"
#include "cli/task_line.hpp"
#include "core/strings.hpp"
#include "core/version.hpp"
#include "framework/framework.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace ydl::cli {
namespace {

using core::Errc;
using core::fail;
using core::Result;

struct Raw {
  std::string cluster = "auto";
  std::string output = "auto";
  JobOptions job;
  std::string name, results, port_range, queue, host_ip, jar, yarn_scripts, am;
  bool detach = false;
  bool dry_run = false;
  bool follow = false;
  bool timeline = false;
  bool now = false;
  bool detached = false;
  std::string grace, file, id, task, stream, shell, folder, credentials;
  int limit = 50;
  int attempt = 0;
};

void add_common(CLI::App& app, Raw& raw) {
  app.add_option("--cluster", raw.cluster, "Where to run: auto, local, yarn, ssh")
      ->type_name("WHERE")
      ->capture_default_str();
  app.add_option("--output", raw.output, "How to show it: auto, tty, plain, json, quiet")
      ->type_name("MODE")
      ->capture_default_str();
}

void add_run_options(CLI::App& app, Raw& raw) {
  app.add_flag("--detach", raw.detach, "Print the job's id and leave it running");
  app.add_flag("--dry-run", raw.dry_run, "Show what would run, and run nothing");
  app.add_option("--results", raw.results, "Folder for what tasks put in YDL_RESULTS_DIR")->type_name("DIR");
  app.add_option("--port-range", raw.port_range, "Hold the tasks' ports in this range")->type_name("FIRST-LAST");
  app.add_option("--queue", raw.queue, "Queue, on a YARN cluster")->type_name("NAME");
  app.add_option("--host-ip", raw.host_ip, "ResourceManager, where no configuration names one (also -hip)")
      ->type_name("ADDRESS");
  app.add_option("--am", raw.am, "ApplicationMaster on a YARN cluster: managed, unmanaged")->type_name("KIND");
}

void add_job_options(CLI::App& app, Raw& raw) {
  auto& job = raw.job;
  app.add_option("-n,--n,--num-workers", job.workers, "Workers")->type_name("N");
  app.add_option("-s,--s,--num-servers", job.servers, "Parameter servers (mxnet; default: as many as workers)")
      ->type_name("N");
  app.add_option("--role", job.roles, "A role and how many tasks it has; repeat for more")
      ->type_name("NAME=N")
      ->allow_extra_args(false);
  app.add_option("--resource", job.resources, "What each task of a role needs: ROLE:memory=2g,vcores=2,gpus=1")
      ->type_name("ROLE:…")
      ->allow_extra_args(false);
  app.add_option("--worker-memory", job.worker_memory, "Memory of each worker")->type_name("SIZE");
  app.add_option("--worker-cores", job.worker_cores, "Cores of each worker")->type_name("N");
  app.add_option("--server-memory", job.server_memory, "Memory of each server")->type_name("SIZE");
  app.add_option("--server-cores", job.server_cores, "Cores of each server")->type_name("N");
  app.add_option("--jobname,--name", job.name, "Name of the job (default: from the command)")->type_name("NAME");
  app.add_option("--env", job.env, "A variable for every task")->type_name("KEY=VALUE")->allow_extra_args(false);
  app.add_option("--file,--files", job.files, "A file or folder that every task finds in its directory")
      ->type_name("PATH[=NAME]")
      ->allow_extra_args(false);
  app.add_flag("--no-auto-files", job.no_auto_files, "Do not show the tasks what lies in this directory");
  app.add_option("--python", job.python, "Interpreter for .py commands")->type_name("PATH");
  app.add_option("--retries", job.retries, "Failed tasks of a role that are started again")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--job-retries", job.job_retries, "Starts of the whole job after a failure")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--allocation-timeout", job.allocation_timeout, "How long to wait for places (default 5m)")
      ->type_name("TIME");
  app.add_option("--timeout", job.run_timeout, "How long the job may take (default: no limit)")->type_name("TIME");
  app.add_option("--stop-grace", job.stop_grace, "From SIGTERM to SIGKILL (default 10s)")->type_name("TIME");
  add_run_options(app, raw);
}

// ---- from what was written to what is meant -------------------------------------------------------------------

Result<CommonOptions> common_options(const Raw& raw) {
  static constexpr std::array<std::string_view, 4> kClusters{"auto", "local", "yarn", "ssh"};
  if (std::ranges::find(kClusters, raw.cluster) == kClusters.end()) {
    return fail(Errc::usage, fmt::format("--cluster {}: choose one of {}{}", raw.cluster, fmt::join(kClusters, ", "),
                                         core::did_you_mean(raw.cluster, kClusters)));
  }
  const auto mode = ui::parse_mode(raw.output);
  if (!mode) return fail(mode.error());
  return CommonOptions{raw.cluster, *mode};
}

Result<RunOptions> run_options(const Raw& raw) {
  RunOptions options;
  const auto common = common_options(raw);
  if (!common) return fail(common.error());
  options.common = *common;
  options.detach = raw.detach;
  options.dry_run = raw.dry_run;
  options.results = raw.results;
  if (!raw.port_range.empty()) {
    const auto parts = core::split(raw.port_range, '-');
    const auto first = core::parse_int<std::uint16_t>(parts.front());
    const auto last = core::parse_int<std::uint16_t>(parts.back());
    if (parts.size() != 2 || !first || !last || *first == 0 || *first > *last) {
      return fail(Errc::usage,
                  fmt::format("--port-range {}: write it as FIRST-LAST, for example 20000-20100", raw.port_range));
    }
    options.port_range = {*first, *last};
  }
  if (!raw.queue.empty()) options.cluster_only.emplace_back("--queue");
  if (!raw.host_ip.empty()) options.cluster_only.emplace_back("-hip");
  if (!raw.am.empty()) options.cluster_only.emplace_back("--am");
  if (!raw.jar.empty()) options.notes.push_back(fmt::format("--jar {} is not needed: ydl has no jar", raw.jar));
  if (!raw.yarn_scripts.empty())
    options.notes.push_back(fmt::format("--yarn-scripts {} is not needed: ydl brings its own", raw.yarn_scripts));
  return options;
}

Result<Command> run_command(const Raw& raw) {
  auto options = run_options(raw);
  if (!options) return fail(options.error());
  std::error_code error;
  const auto directory = std::filesystem::current_path(error);
  if (error) return fail(Errc::io, fmt::format("the current directory cannot be read: {}", error.message()));
  auto job = make_spec(raw.job, directory.string());
  if (!job) return fail(job.error());
  for (const auto& role : job->roles) {
    if (role.resources.label)
      options->cluster_only.push_back(fmt::format("label={} of role {}", *role.resources.label, role.name));
  }
  return Run{*std::move(options), *std::move(job)};
}

Result<Command> submit_command(const Raw& raw) {
  auto options = run_options(raw);
  if (!options) return fail(options.error());
  return Submit{*std::move(options), raw.file};
}

// The rest are alike: common options plus a few fields.
template <class T, class Fill>
Result<Command> simple_command(const Raw& raw, Fill fill) {
  const auto common = common_options(raw);
  if (!common) return fail(common.error());
  T command;
  command.common = *common;
  fill(command);
  return command;
}

Result<Command> kill_command(const Raw& raw) {
  std::optional<core::Millis> grace;
  if (raw.now) grace = core::Millis(0);
  if (!raw.grace.empty()) {
    const auto parsed = core::parse_duration(raw.grace);
    if (!parsed) return fail(parsed.error().within("--grace"));
    grace = *parsed;
  }
  return simple_command<Kill>(raw, [&](Kill& c) {
    c.job = raw.id;
    c.grace = grace;
  });
}

Result<Command> logs_command(const Raw& raw) {
  if (!raw.stream.empty() && raw.stream != "stdout" && raw.stream != "stderr") {
    return fail(Errc::usage, fmt::format("--stream {}: choose stdout or stderr, or leave it out for both", raw.stream));
  }
  return simple_command<Logs>(raw, [&](Logs& c) {
    c.job = raw.id;
    c.task = raw.task;
    c.stream = raw.stream;
    c.follow = raw.follow;
    c.attempt = raw.attempt;
  });
}

Result<Command> events_command(const Raw& raw) {
  return simple_command<Events>(raw, [&](Events& c) {
    c.job = raw.id;
    c.follow = raw.follow;
    c.timeline = raw.timeline;
  });
}

std::string framework_names() {
  std::vector<std::string> names;
  for (const auto* framework : framework::all()) names.emplace_back(framework->name());
  return core::join(names, ", ");
}

// ---- the commands ----------------------------------------------------------------------------------------------

struct Grammar {
  Raw raw;
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

  Grammar() {
    app.set_help_flag();
    app.require_subcommand(0, 1);
    auto& run = add("run", "[options] -- COMMAND …", "Run a command as a distributed job and follow it",
                    [this] { return run_command(raw); });
    run.add_option("--framework", raw.job.framework, fmt::format("How tasks find each other: {}", framework_names()))
        ->type_name("NAME")
        ->capture_default_str();
    add_job_options(run, raw);
    add_common(run, raw);

    auto& submit = add("submit", "[options] FILE.yaml", "Run the job that a file describes",
                       [this] { return submit_command(raw); });
    submit.add_option("FILE", raw.file, "The job file (docs/job-file.md)")->required();
    add_run_options(submit, raw);
    add_common(submit, raw);

    auto& ls = add("ls", "[options]", "List jobs",
                   [this] { return simple_command<List>(raw, [this](List& c) { c.limit = raw.limit; }); });
    ls.add_option("--limit", raw.limit, "Show the newest N")
        ->type_name("N")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    add_common(ls, raw);

    auto& status = add("status", "[options] [ID]", "Show one job and its tasks",
                       [this] { return simple_command<Status>(raw, [this](Status& c) { c.job = raw.id; }); });
    add_job_argument(status);
    add_common(status, raw);

    auto& logs = add("logs", "[options] [ID [TASK]]", "Show what tasks wrote", [this] { return logs_command(raw); });
    add_job_argument(logs);
    logs.add_option("TASK", raw.task, "One task, for example worker:0 (default: all)");
    logs.add_flag("-f,--follow", raw.follow, "Go on until the job ends");
    logs.add_option("--stream", raw.stream, "stdout or stderr (default: both)")->type_name("NAME");
    logs.add_option("--attempt", raw.attempt, "An earlier attempt of the task")
        ->type_name("N")
        ->check(CLI::PositiveNumber);
    add_common(logs, raw);

    auto& events =
        add("events", "[options] [ID]", "Show what happened to a job", [this] { return events_command(raw); });
    add_job_argument(events);
    events.add_flag("-f,--follow", raw.follow, "Go on until the job ends");
    events.add_flag("--timeline", raw.timeline, "Show where the time went, task by task");
    add_common(events, raw);

    auto& kill = add("kill", "[options] ID", "Stop a job", [this] { return kill_command(raw); });
    kill.add_option("ID", raw.id, "The job")->required();
    kill.add_flag("--now", raw.now, "Without grace: SIGKILL at once");
    kill.add_option("--grace", raw.grace, "From SIGTERM to SIGKILL (default: the job's)")->type_name("TIME");
    add_common(kill, raw);

    auto& doctor = add("doctor", "[options]", "Check what this machine can do",
                       [this] { return simple_command<Doctor>(raw, [](Doctor&) {}); });
    add_common(doctor, raw);

    auto& completion = add("completion", "bash|zsh|fish", "Print shell completion: bash, zsh or fish",
                           [this]() -> Result<Command> { return Completion{raw.shell}; });
    completion.add_option("SHELL", raw.shell, "bash, zsh or fish")->required();

    add_hidden();
  }

  void add_job_argument(CLI::App& command) { command.add_option("ID", raw.id, "The job (default: the newest)"); }

  void add_hidden() {
    auto& master =
        add("__master", "", "", [this]() -> Result<Command> { return MasterProcess{raw.folder, raw.detached}; });
    master.add_option("--folder", raw.folder)->required();
    master.add_flag("--detached", raw.detached);
    auto& agent = add("__agent", "", "", [this]() -> Result<Command> { return AgentProcess{raw.id, raw.credentials}; });
    agent.add_option("--id", raw.id)->required();
    agent.add_option("--credentials", raw.credentials)->required();
    auto& man = add("__man", "", "", []() -> Result<Command> { return ManPage{}; });
    for (auto* hidden : {&master, &agent, &man}) hidden->group("");
  }

  // Options and commands near to a word nobody knows.
  std::string guess(const CLI::App& command, const std::string& word) const {
    std::vector<std::string> names;
    for (const auto* option : command.get_options()) {
      for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    }
    if (&command == &app) {
      for (const auto& entry : commands) {
        if (!entry.app->get_group().empty()) names.push_back(entry.app->get_name());
      }
    }
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    return core::did_you_mean(word, candidates);
  }
};

CommandHelp describe(const Grammar::Entry& entry) {
  CommandHelp help{entry.app->get_name(), entry.app->get_description(), entry.usage, {}};
  for (const auto* option : entry.app->get_options()) {
    OptionHelp item;
    for (const auto& name : option->get_snames()) item.names.push_back("-" + name);
    for (const auto& name : option->get_lnames()) item.names.push_back("--" + name);
    if (item.names.empty())
      item.names.push_back(option->get_name());  // an argument
    else if (option->get_items_expected_max() > 0)
      item.value = option->get_type_name();
    item.text = option->get_description();
    if (const auto standard = option->get_default_str(); !standard.empty() && standard != "0")
      item.text += fmt::format(" (default {})", standard);
    help.options.push_back(std::move(item));
  }
  return help;
}

std::string first_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

// Runs CLI11 on one app; an Error in our words.
Result<void> parse_with(CLI::App& app, std::vector<std::string> arguments) {
  std::ranges::reverse(arguments);  // CLI11 wants them so
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    return fail(Errc::usage, first_line(error.what()));
  }
  return {};
}

// The seeds' spelling, which CLI11 cannot define: -hip ADDRESS is --host-ip ADDRESS.
constexpr std::string_view kHostIp = "-hip";

TakesValue value_options(const CLI::App& command) {
  return [&command](std::string_view word) {
    if (word == kHostIp) return true;
    const bool is_long = word.starts_with("--");
    const std::string name(word.substr(is_long ? 2 : 1));
    return std::ranges::any_of(command.get_options(), [&](const CLI::Option* option) {
      const bool named = is_long ? option->check_lname(name) : option->check_sname(name);
      return named && option->get_items_expected_max() > 0;
    });
  };
}

// Our words of a command line that ends in a task must all be known.
Result<void> check_ours(const CLI::App& command, const Grammar& grammar) {
  const auto unknown = command.remaining();
  if (unknown.empty()) return {};
  return fail(Errc::usage, fmt::format("there is no option {}{}; options of the task come after its command",
                                       unknown.front(), grammar.guess(command, unknown.front())));
}

Result<Command> parse_mx(std::vector<std::string> arguments) {
  Grammar grammar;
  CLI::App app{"", "ydl-mx"};
  grammar.raw.job.framework = "mxnet";
  app.set_help_flag();
  add_job_options(app, grammar.raw);
  app.add_option("--jar", grammar.raw.jar, "Accepted and not needed")->type_name("FILE");
  app.add_option("--yarn-scripts", grammar.raw.yarn_scripts, "Accepted and not needed")->type_name("DIR");
  add_common(app, grammar.raw);
  app.allow_extras();
  const auto takes_value = value_options(app);
  auto line = split_at_task(arguments, takes_value);
  if (arguments.empty() || asks_for_help(line.ours, takes_value)) return ShowText{mx_help()};
  if (arguments.front() == "--version") return ShowText{fmt::format("ydl-mx {}\n", core::kVersion)};
  std::ranges::replace(line.ours, kHostIp, "--host-ip");
  if (auto parsed = parse_with(app, std::move(line.ours)); !parsed) return fail(parsed.error());
  if (auto known = check_ours(app, grammar); !known) return fail(known.error());
  grammar.raw.job.command = std::move(line.task);
  return run_command(grammar.raw);
}

Result<Command> parse_ydl(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front() == "--help" || arguments.front() == "-h" || arguments.front() == "help") {
    return ShowText{top_help()};
  }
  if (arguments.front() == "--version") return ShowText{fmt::format("ydl {}\n", core::kVersion)};
  Grammar grammar;
  const auto known =
      std::ranges::find(grammar.commands, arguments.front(), [](const auto& entry) { return entry.app->get_name(); });
  if (known == grammar.commands.end()) {
    return fail(Errc::usage, fmt::format("there is no command '{}'{} (`ydl --help` lists them)", arguments.front(),
                                         grammar.guess(grammar.app, arguments.front())));
  }
  auto* command = known->app;
  command->allow_extras();
  std::vector<std::string> words(arguments.begin() + 1, arguments.end());
  const auto takes_value = value_options(*command);
  const bool takes_task = command->get_name() == "run";
  if (takes_task) {
    auto line = split_at_task(words, takes_value);
    words = std::move(line.ours);
    std::ranges::replace(words, kHostIp, "--host-ip");
    grammar.raw.job.command = std::move(line.task);
  }
  if (asks_for_help(words, takes_value)) return ShowText{command_help(describe(*known))};
  words.insert(words.begin(), command->get_name());
  if (auto parsed = parse_with(grammar.app, std::move(words)); !parsed) return fail(parsed.error());
  if (takes_task) {
    if (auto all_known = check_ours(*command, grammar); !all_known) return fail(all_known.error());
  } else if (const auto extras = command->remaining(); !extras.empty()) {
    return fail(Errc::usage, fmt::format("`ydl {}` does not take '{}'{} (`ydl {} --help`)", command->get_name(),
                                         extras.front(), grammar.guess(*command, extras.front()), command->get_name()));
  }
  return known->make();
}

}  // namespace

Result<Command> parse(std::string_view program, std::vector<std::string> arguments) {
  const auto name = std::filesystem::path(program).filename().string();
  return name == "ydl-mx" ? parse_mx(std::move(arguments)) : parse_ydl(std::move(arguments));
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

#include "cli/args/grammar.hpp"

#include "core/strings.hpp"
#include "spec/problems.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include <fmt/format.h>

namespace ydl::cli {

using core::Errc;
using core::fail;
using core::Result;

void add_cluster(CLI::App& app, RawOptions& raw, std::string_view meaning) {
  app.add_option("--cluster", raw.cluster, fmt::format("{}: {}", meaning, fmt::join(cluster_words(), ", ")))
      ->type_name("WHERE")
      ->capture_default_str();
}

void add_output(CLI::App& app, RawOptions& raw) {
  app.add_option("--output", raw.output, "Form of the output: auto, tty, plain, json, quiet")
      ->type_name("MODE")
      ->capture_default_str();
}

void add_follow_options(CLI::App& app, RawOptions& raw) {
  app.add_option("--show-logs", raw.show_logs,
                 "Tasks whose lines are shown: none, first, all, ROLE (default: first on a terminal, else all)")
      ->type_name("WHOSE")
      ->check(not_empty());
  app.add_flag("--verbose", raw.verbose, "Print every step of every task (plain output)");
}

void add_run_options(CLI::App& app, RawOptions& raw) {
  add_follow_options(app, raw);
  app.add_flag("--detach", raw.detach, "Print the id of the job and do not wait for its end");
  app.add_flag("--dry-run", raw.dry_run, "Show what would run without running it");
  app.add_option("--results", raw.results, "Folder for the results of the tasks")->type_name("DIR");
  app.add_option("--port-range", raw.port_range, "Use only ports of this range")->type_name("FIRST-LAST");
  app.add_option("--queue", raw.on_cluster.queue, "Queue, on a YARN cluster")->type_name("NAME");
  app.add_option("--name-node", raw.on_cluster.name_nodes,
                 "Another HDFS that the tasks use (on secure clusters: get its token)")
      ->type_name("hdfs://CLUSTER")
      ->allow_extra_args(false);
  app.add_option("--host-ip", raw.host_ip, "ResourceManager, if no configuration names one (also -hip)")
      ->type_name("ADDRESS");
  app.add_option("--default-fs", raw.default_fs, "HDFS of the cluster; overrides the configuration")
      ->type_name("hdfs://HOST:PORT");
  app.add_option("--image", raw.on_cluster.image.name, "Container image that every task runs in")->type_name("NAME");
  app.add_option("--image-runtime", raw.on_cluster.image.runtime,
                 "What runs the image: nodemanager (default on YARN), podman, docker")
      ->type_name("RUNTIME");
  app.add_option("--image-mount", raw.on_cluster.image.mounts,
                 "Folder of the hosts that is mounted in the image; writable with :rw")
      ->type_name("SOURCE:TARGET")
      ->allow_extra_args(false);
  app.add_option("--priority", raw.on_cluster.priority, "Priority in the queue; higher is more important")
      ->type_name("N");
  app.add_option("--acl-view", raw.on_cluster.acl_view,
                 "Users and groups that may view the job on a cluster: 'a,b g1,g2'")
      ->type_name("LIST");
  app.add_option("--acl-modify", raw.on_cluster.acl_modify, "Users and groups that may stop the job on a cluster")
      ->type_name("LIST");
  app.add_option("--am", raw.on_cluster.am,
                 "Where the master runs: managed (a container of YARN), unmanaged (this machine)")
      ->type_name("KIND");
}

void add_job_options(CLI::App& app, RawOptions& raw) {
  auto& job = raw.job;
  app.add_option("-n,--n,--num-workers", job.workers, "Number of workers; 2:8 if it may change while the job runs")
      ->check(task_count())
      ->type_name("N");
  app.add_option("-s,--s,--num-servers", job.servers,
                 "Number of parameter servers (mxnet; default: as many as workers)")
      ->check(task_count())
      ->type_name("N");
  app.add_option("--role", job.roles, "Role and its number of tasks, 2 or 2:8; repeat for more roles")
      ->type_name("NAME=N")
      ->allow_extra_args(false);
  app.add_option("--resource", job.resources, "Resources of each task of a role, for example worker:memory=2g,gpus=1")
      ->type_name("ROLE:…")
      ->allow_extra_args(false);
  app.add_option("--worker-memory", job.worker_memory,
                 "Memory of each worker (also --worker-cores, --server-memory, --server-cores)")
      ->type_name("SIZE");
  // Named in the line above: the help of a command fits a screen.
  app.add_option("--worker-cores", job.worker_cores, "Cores of each worker")->type_name("N")->group("");
  app.add_option("--server-memory", job.server_memory, "Memory of each server")->type_name("SIZE")->group("");
  app.add_option("--server-cores", job.server_cores, "Cores of each server")->type_name("N")->group("");
  app.add_option("--jobname,--name", job.name, "Name of the job (default: from the command)")->type_name("NAME");
  app.add_option("--env", job.env, "Environment variable for every task; KEY alone takes the value from your shell")
      ->type_name("KEY[=VALUE]")
      ->allow_extra_args(false);
  app.add_option("--file,--files", job.files, "File or folder to put in the working directory of every task")
      ->type_name("PATH[=NAME]")
      ->allow_extra_args(false);
  app.add_option("--archive,--archives", job.archives,
                 "tar or zip file to unpack in the working directory of every task")
      ->type_name("PATH[#NAME]")
      ->allow_extra_args(false);
  app.add_option("--input", job.inputs, "File or folder in HDFS to put in the working directory of every task")
      ->type_name("hdfs://PATH[=NAME]")
      ->allow_extra_args(false);
  app.add_option("--files-limit", job.files_limit, "Limit for uploaded files (default 1g on a cluster)")
      ->type_name("SIZE");
  app.add_flag("--no-auto-files", job.no_auto_files, "Do not make the files of this directory available to the tasks");
  app.add_option("--python", job.python, "Interpreter for .py commands")->type_name("PATH");
  app.add_option("--python-env", job.python_env,
                 "Python environment to upload: a folder, an archive, requirements.txt, or 'here'")
      ->type_name("PATH");
  app.add_option("--retries", job.retries, "Restarts of failed tasks per role (default 2 on a cluster, else 0)")
      ->check(number_in(spec::kRetriesRange))
      ->type_name("N");
  app.add_option("--job-retries", job.job_retries, "Restarts of the whole job after a failure")
      ->check(number_in(spec::kRetriesRange))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--blacklist", job.blacklist, "When to avoid hosts after failures: decay (default), strict, off")
      ->check(not_empty())
      ->type_name("MODE");
  app.add_option("--allocation-timeout", job.allocation_timeout, "How long to wait for containers (default 5m)")
      ->type_name("TIME");
  app.add_option("--timeout", job.run_timeout, "Limit for the time the job runs (default: no limit)")
      ->type_name("TIME");
  app.add_option("--stop-grace", job.stop_grace, "Time from SIGTERM to SIGKILL (default 10s)")->type_name("TIME");
  app.add_option("--stall-timeout", job.stall_timeout,
                 "Time without output after which a task counts as hung (default: no limit)")
      ->type_name("TIME");
  app.add_option("--restore-from", job.restore_from, "Continue from the checkpoints of this job")
      ->check(not_empty())
      ->type_name("JOB");
  add_run_options(app, raw);
}

namespace {

std::string number_problem(const std::string& text, spec::Range range) {
  const auto shown = spec::in_quotes(text);
  const auto value = core::parse_int<std::int64_t>(text);
  const bool is_huge = !value && !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (is_huge || (value && *value > range.max))
    return fmt::format("{} is too large; the largest number is {}", text.substr(0, 40), range.max);
  if (!value)
    return fmt::format("{} is not a whole number; write for example {}", shown, std::max<std::int64_t>(range.min, 2));
  if (*value < range.min) return fmt::format("{} is too small; the smallest number is {}", *value, range.min);
  return {};
}

// "--n" and "N" of a message that begins with the option's name.
const CLI::Option* option_in(const CLI::App& app, const std::string& message) {
  const auto name = message.substr(0, message.find(':'));
  for (const auto* command : app.get_subcommands()) {
    if (const auto* option = command->get_option_no_throw(name)) return option;
  }
  return app.get_option_no_throw(name);
}

}  // namespace

CLI::Validator number_in(spec::Range range) {
  return {[range](std::string& text) { return number_problem(text, range); }, ""};
}

CLI::Validator task_count() {
  // add_role refuses 0, and names the role.
  static constexpr spec::Range kCounts{std::numeric_limits<int>::min(), spec::kCountRange.max};
  return {[](std::string& text) {
            return text.find(':') == std::string::npos ? number_problem(text, kCounts) : std::string();
          },
          ""};
}

const CLI::Validator& not_empty() {
  static const CLI::Validator kValidator(
      [](std::string& text) -> std::string {
        return text.empty() ? "the value is empty; write one, or leave the option out" : "";
      },
      "");
  return kValidator;
}

Result<void> parse_with(CLI::App& app, std::vector<std::string> arguments) {
  std::ranges::reverse(arguments);  // CLI11 takes them from the back
  try {
    app.parse(arguments);
  } catch (const CLI::RequiredError& error) {
    const std::string_view text = error.what();
    return fail(Errc::usage, fmt::format("{} is missing", text.substr(0, text.find(' '))));
  } catch (const CLI::ArgumentMismatch& error) {
    const auto* option = option_in(app, error.what());
    if (option == nullptr) return fail(Errc::usage, error.what());
    return fail(Errc::usage,
                option->get_items_expected_max() == 0 ? fmt::format("{} takes no value; remove it", option->get_name())
                : option->results().size() > 1
                    ? fmt::format("{0} is given more than once; write it once", option->get_name())
                    : fmt::format("{0} has no value; write {0} {1}", option->get_name(), option->get_type_name()));
  } catch (const CLI::ValidationError& error) {
    // "--n: 'two' is ..." as one sentence, where the value comes next.
    std::string text = error.what();
    constexpr std::string_view kBeginsValue = "'-0123456789";
    const auto colon = text.find(": ");
    if (colon != std::string::npos && kBeginsValue.find(text[colon + 2]) != std::string_view::npos)
      text.erase(colon, 1);
    return fail(Errc::usage, std::move(text));
  } catch (const CLI::ParseError& error) {
    std::string text = error.what();
    std::ranges::replace(text, '\n', ' ');
    return fail(Errc::usage, std::move(text));
  }
  return {};
}

namespace {

constexpr std::string_view kHostIp = "-hip";

}  // namespace

std::string respell(std::vector<std::string>& words) {
  constexpr const char* kCanonical = "--host-ip";
  const bool is_short = std::ranges::find(words, kHostIp) != words.end();
  std::ranges::replace(words, kHostIp, kCanonical);
  return std::string(is_short ? kHostIp : kCanonical);
}

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

namespace {

struct OptionGroup {
  const char* title;
  std::vector<const char*> options;
};

// The order is that of the help.
const std::vector<OptionGroup>& option_groups() {
  static const std::vector<OptionGroup> kGroups{
      {"What to run",
       {"--framework", "--n", "--s", "--role", "--resource", "--worker-memory", "--name", "--env", "--python",
        "--python-env", "--image", "--image-runtime", "--image-mount"}},
      {"Where",
       {"--cluster", "--queue", "--priority", "--host-ip", "--default-fs", "--am", "--name-node", "--acl-view",
        "--acl-modify", "--port-range"}},
      {"Files", {"--file", "--archive", "--input", "--no-auto-files", "--files-limit", "--results", "--restore-from"}},
      {"When it fails",
       {"--retries", "--job-retries", "--blacklist", "--allocation-timeout", "--timeout", "--stop-grace",
        "--stall-timeout"}},
      {"How it is shown", {"--output", "--show-logs", "--verbose", "--detach", "--dry-run"}}};
  return kGroups;
}

}  // namespace

void group_options(CLI::App& app) {
  for (const auto& [title, names] : option_groups()) {
    for (const auto* name : names) {
      auto* option = app.get_option_no_throw(name);
      if (option != nullptr && !option->get_group().empty()) option->group(title);
    }
  }
}

namespace {

// Arguments and what is in no group come first.
void in_order_of_groups(std::vector<OptionHelp>& options) {
  std::vector<OptionHelp> sorted;
  const auto take = [&](const auto& is_next) {
    std::ranges::copy_if(options, std::back_inserter(sorted), is_next);
    std::erase_if(options, is_next);
  };
  take([](const OptionHelp& option) {
    return std::ranges::find(option_groups(), option.group, &OptionGroup::title) == option_groups().end();
  });
  for (const auto& group : option_groups()) {
    for (const std::string_view name : group.options)
      take([&](const OptionHelp& option) { return std::ranges::find(option.names, name) != option.names.end(); });
  }
  options = std::move(sorted);
}

}  // namespace

CommandHelp describe(const CLI::App& app, std::string usage) {
  CommandHelp help{app.get_name(), app.get_description(), std::move(usage), {}};
  for (const auto* option : app.get_options()) {
    OptionHelp item;
    for (const auto& name : option->get_snames()) item.names.push_back("-" + name);
    for (const auto& name : option->get_lnames()) item.names.push_back("--" + name);
    if (item.names.empty())
      item.names.push_back(option->get_name());  // an argument
    else if (option->get_items_expected_max() > 0)
      item.value = option->get_type_name();
    item.text = option->get_description();
    item.group = option->get_group();
    item.is_listed = !option->get_group().empty();
    if (const auto standard = option->get_default_str(); !standard.empty() && standard != "0")
      item.text += fmt::format(" (default {})", standard);
    help.options.push_back(std::move(item));
  }
  in_order_of_groups(help.options);
  return help;
}

namespace {

// "--retries" of "--retries=3".
std::string name_of(const std::string& word) {
  return word.starts_with('-') ? word.substr(0, word.find('=')) : word;
}

}  // namespace

std::string guess_option(const CLI::App& command, const std::string& word) {
  // Without the dashes, which every option has: they are not what makes two of them alike.
  const auto bare = name_of(word).substr(std::min(word.find_first_not_of('-'), word.size()));
  constexpr std::size_t kShortest = 3;  // any letter is as near to -q as any other
  if (!word.starts_with('-') || bare.size() < kShortest) return {};
  std::vector<std::string> names;
  for (const auto* option : command.get_options()) {
    for (const auto& name : option->get_lnames()) {
      if (name.size() >= kShortest) names.push_back(name);
    }
  }
  const auto guess = core::nearest(bare, std::vector<std::string_view>(names.begin(), names.end()));
  return guess ? fmt::format("; did you mean --{}?", *guess) : std::string();
}

core::Error as_typed(core::Error error, const CLI::App& command, const std::vector<std::string>& words) {
  const auto name = error.message.substr(0, error.message.find_first_of(" :;"));
  const auto* option = name.starts_with('-') ? command.get_option_no_throw(name) : nullptr;
  if (option == nullptr) return error;
  std::string other;
  for (const auto& word : words) {
    if (word == "--") break;
    const auto typed = name_of(word);
    if (typed == name) return error;
    const bool is_same = typed.starts_with('-') && command.get_option_no_throw(typed) == option;
    if (is_same || (typed == kHostIp && name == "--host-ip")) other = typed;
  }
  if (other.empty()) return error;
  error.message.replace(0, name.size(), other);
  const auto remedy = fmt::format("; write {} ", name);
  if (const auto at = error.message.find(remedy); at != std::string::npos)
    error.message.replace(at, remedy.size(), fmt::format("; write {} ", other));
  return error;
}

Result<void> check_ours(const CLI::App& command) {
  const auto unknown = command.remaining();
  if (unknown.empty()) return {};
  return fail(Errc::usage, fmt::format("no option {}{} (options for your program go after it)",
                                       name_of(unknown.front()), guess_option(command, unknown.front())));
}

}  // namespace ydl::cli

#include "cli/args/grammar.hpp"

#include "core/strings.hpp"

#include <algorithm>
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
  app.add_option("--output", raw.output, "How to show it: auto, tty, plain, json, quiet")
      ->type_name("MODE")
      ->capture_default_str();
}

void add_run_options(CLI::App& app, RawOptions& raw) {
  app.add_flag("--detach", raw.detach, "Print the job's id and leave it running");
  app.add_flag("--dry-run", raw.dry_run, "Show what would run, and run nothing");
  app.add_option("--results", raw.results, "Folder for what tasks put in YDL_RESULTS_DIR")->type_name("DIR");
  app.add_option("--port-range", raw.port_range, "Hold the tasks' ports in this range")->type_name("FIRST-LAST");
  app.add_option("--queue", raw.on_cluster.queue, "Queue, on a YARN cluster")->type_name("NAME");
  app.add_option("--name-node", raw.on_cluster.name_nodes, "Another HDFS that tasks use; on secure clusters: its token")
      ->type_name("hdfs://CLUSTER")
      ->allow_extra_args(false);
  app.add_option("--host-ip", raw.host_ip, "ResourceManager, where no configuration names one (also -hip)")
      ->type_name("ADDRESS");
  app.add_option("--image", raw.on_cluster.image.name, "An image that every task runs inside of")->type_name("NAME");
  app.add_option("--image-runtime", raw.on_cluster.image.runtime,
                 "Who runs it: nodemanager (YARN's default), podman, docker")
      ->type_name("WHO");
  app.add_option("--image-mount", raw.on_cluster.image.mounts,
                 "A folder of the hosts that is seen in the image; writable with :rw")
      ->type_name("SOURCE:TARGET")
      ->allow_extra_args(false);
  app.add_option("--priority", raw.on_cluster.priority, "Among the jobs of a queue; higher is more important")
      ->type_name("N");
  app.add_option("--acl-view", raw.on_cluster.acl_view,
                 "Users and groups that may see the job on a cluster: 'a,b g1,g2'")
      ->type_name("LIST");
  app.add_option("--acl-modify", raw.on_cluster.acl_modify, "Users and groups that may stop the job on a cluster")
      ->type_name("LIST");
  app.add_option("--am", raw.on_cluster.am, "ApplicationMaster on a YARN cluster: managed, unmanaged")
      ->type_name("KIND");
}

void add_job_options(CLI::App& app, RawOptions& raw) {
  auto& job = raw.job;
  app.add_option("-n,--n,--num-workers", job.workers, "Workers; 2:8 if their number may change")
      ->check(task_count())
      ->type_name("N");
  app.add_option("-s,--s,--num-servers", job.servers, "Parameter servers (mxnet; default: as many as workers)")
      ->check(whole_number())
      ->type_name("N");
  app.add_option("--role", job.roles, "A role and how many tasks it has, 2 or 2:8; repeat for more")
      ->type_name("NAME=N")
      ->allow_extra_args(false);
  app.add_option("--resource", job.resources, "What each task of a role needs: ROLE:memory=2g,gpus=1,hosts=a+b")
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
  app.add_option("--env", job.env, "A variable for every task; KEY alone takes its value from here")
      ->type_name("KEY[=VALUE]")
      ->allow_extra_args(false);
  app.add_option("--file,--files", job.files, "A file or folder that every task finds in its directory")
      ->type_name("PATH[=NAME]")
      ->allow_extra_args(false);
  app.add_option("--archive,--archives", job.archives, "A tar or zip file that every task finds unpacked, as a folder")
      ->type_name("PATH[#NAME]")
      ->allow_extra_args(false);
  app.add_option("--input", job.inputs, "A file or folder in HDFS that every task finds in its directory (clusters)")
      ->type_name("hdfs://PATH[=NAME]")
      ->allow_extra_args(false);
  app.add_option("--files-limit", job.files_limit, "How much may travel to the tasks (default 1g where it is copied)")
      ->type_name("SIZE");
  app.add_flag("--no-auto-files", job.no_auto_files, "Do not show the tasks what lies in this directory");
  app.add_option("--python", job.python, "Interpreter for .py commands")->type_name("PATH");
  app.add_option("--python-env", job.python_env,
                 "Python environment that travels: a folder, archive or requirements.txt")
      ->type_name("PATH");
  app.add_option("--retries", job.retries,
                 "Failed tasks of a role that are started again (default 2 on a cluster, else 0)")
      ->check(whole_number())
      ->type_name("N");
  app.add_option("--job-retries", job.job_retries, "Starts of the whole job after a failure")
      ->check(whole_number())
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--blacklist", job.blacklist,
                 "Which hosts are not used again after failures: decay (default), strict, off")
      ->check(not_empty())
      ->type_name("MODE");
  app.add_option("--allocation-timeout", job.allocation_timeout, "How long to wait for places (default 5m)")
      ->type_name("TIME");
  app.add_option("--timeout", job.run_timeout, "How long the job may take (default: no limit)")->type_name("TIME");
  app.add_option("--stop-grace", job.stop_grace, "From SIGTERM to SIGKILL (default 10s)")->type_name("TIME");
  app.add_option("--stall-timeout", job.stall_timeout,
                 "How long tasks may write nothing before they are taken to hang (default: no limit)")
      ->type_name("TIME");
  app.add_option("--restore-from", job.restore_from, "A job whose checkpoints the tasks continue from")
      ->check(not_empty())
      ->type_name("JOB");
  add_run_options(app, raw);
}

namespace {

CLI::Validator number_from(int least, const char* what) {
  return CLI::Validator(
      [least, what](std::string& text) -> std::string {
        const auto value = core::parse_int<int>(text);
        if (value && *value >= least) return "";
        const bool too_long = !value && text.find_first_not_of("0123456789") == std::string::npos;
        return too_long ? fmt::format("{} is more than anybody has", text.substr(0, 40))
                        : fmt::format("'{}' is not {}", text.substr(0, 40), what);
      },
      "");
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

const CLI::Validator& whole_number() {
  static const auto kValidator = number_from(std::numeric_limits<int>::min(), "a whole number; write for example 2");
  return kValidator;
}

const CLI::Validator& task_count() {
  static const CLI::Validator kValidator(
      [](std::string& text) -> std::string {
        return text.find(':') == std::string::npos ? whole_number()(text) : std::string();
      },
      "");
  return kValidator;
}

const CLI::Validator& positive_number() {
  static const auto kValidator = number_from(1, "a whole number above 0; write for example 2");
  return kValidator;
}

const CLI::Validator& days() {
  static const auto kValidator = number_from(0, "a number of days; write for example 30");
  return kValidator;
}

const CLI::Validator& not_empty() {
  static const CLI::Validator kValidator(
      [](std::string& text) -> std::string {
        return text.empty() ? "the value is empty; leave it out or name one" : "";
      },
      "");
  return kValidator;
}

Result<void> parse_with(CLI::App& app, std::vector<std::string> arguments) {
  std::ranges::reverse(arguments);  // CLI11 wants them so
  try {
    app.parse(arguments);
  } catch (const CLI::RequiredError& error) {
    return fail(Errc::usage, fmt::format("an argument is missing: {}", error.what()));
  } catch (const CLI::ArgumentMismatch& error) {
    const auto* option = option_in(app, error.what());
    if (option == nullptr) return fail(Errc::usage, error.what());
    return fail(Errc::usage,
                option->get_items_expected_max() == 0
                    ? fmt::format("{} takes no value; leave it out", option->get_name())
                : option->results().size() > 1
                    ? fmt::format("{0} is given more than once; write it once", option->get_name())
                    : fmt::format("{0} has no value; write {0} {1}", option->get_name(), option->get_type_name()));
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

void respell(std::vector<std::string>& words) {
  std::ranges::replace(words, kHostIp, "--host-ip");
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

std::string guess_option(const CLI::App& command, const std::string& word) {
  std::vector<std::string> names;
  for (const auto* option : command.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  return core::did_you_mean(word, candidates);
}

Result<void> check_ours(const CLI::App& command) {
  const auto unknown = command.remaining();
  if (unknown.empty()) return {};
  return fail(Errc::usage, fmt::format("there is no option {}{}; options of the task come after its command",
                                       unknown.front(), guess_option(command, unknown.front())));
}

}  // namespace ydl::cli

// The command line of ydl-mx: an MXNet job with parameter servers.
#include "cli/args/grammar.hpp"
#include "cli/args/help.hpp"
#include "cli/args/parse.hpp"
#include "core/version.hpp"

#include <fmt/format.h>

namespace ydl::cli {

namespace {

void add_options(CLI::App& app, RawOptions& raw) {
  raw.job.framework = "mxnet";
  app.set_help_flag();
  add_job_options(app, raw);
  app.add_option("--jar", raw.jar, "Accepted and ignored")->type_name("FILE");
  app.add_option("--yarn-scripts", raw.yarn_scripts, "Accepted and ignored")->type_name("DIR");
  add_cluster(app, raw, "Where to run");
  add_output(app, raw);
  group_options(app);
  app.allow_extras();
}

}  // namespace

CommandHelp describe_mx() {
  RawOptions raw;
  CLI::App app{"An MXNet job with parameter servers", "ydl-mx"};
  add_options(app, raw);
  auto help = describe(app, "ydl-mx [options] train.py …");
  help.takes_task = true;
  return help;
}

core::Result<Command> parse_mx(std::vector<std::string> arguments) {
  if (!arguments.empty() && arguments.front() == "__complete")
    return Complete{"ydl-mx", {arguments.begin() + 1, arguments.end()}};
  RawOptions raw;
  CLI::App app{"", "ydl-mx"};
  add_options(app, raw);
  const auto takes_value = value_options(app);
  auto line = split_at_task(arguments, takes_value);
  if (arguments.empty() || asks_for_help(line.ours, takes_value)) {
    const bool is_full = help_length(line.ours) == HelpLength::full;
    return ShowText{is_full ? command_help(describe_mx(), HelpLength::full) : mx_help()};
  }
  if (arguments.front() == "--version" || arguments.front() == "-V")
    return ShowText{fmt::format("ydl-mx {}\n", core::kVersion)};
  raw.host_ip_typed = respell(line.ours);
  if (auto parsed = parse_with(app, std::move(line.ours)); !parsed)
    return core::fail(as_typed(parsed.error(), app, arguments));
  if (auto known = check_ours(app); !known) return core::fail(known.error());
  raw.job.command = std::move(line.task);
  auto made = run_command(raw);
  return made ? std::move(made) : core::fail(as_typed(made.error(), app, arguments));
}

}  // namespace ydl::cli

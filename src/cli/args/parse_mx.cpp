// The command line of ydl-mx: an MXNet job, as the seeds write it.
#include "cli/args/grammar.hpp"
#include "cli/args/help.hpp"
#include "cli/args/parse.hpp"
#include "core/version.hpp"

#include <fmt/format.h>

namespace ydl::cli {

core::Result<Command> parse_mx(std::vector<std::string> arguments) {
  RawOptions raw;
  raw.job.framework = "mxnet";
  CLI::App app{"", "ydl-mx"};
  app.set_help_flag();
  add_job_options(app, raw);
  app.add_option("--jar", raw.jar, "Accepted and not needed")->type_name("FILE");
  app.add_option("--yarn-scripts", raw.yarn_scripts, "Accepted and not needed")->type_name("DIR");
  add_cluster(app, raw, "Where to run");
  add_output(app, raw);
  app.allow_extras();
  const auto takes_value = value_options(app);
  auto line = split_at_task(arguments, takes_value);
  if (arguments.empty() || asks_for_help(line.ours, takes_value)) return ShowText{mx_help()};
  if (arguments.front() == "--version") return ShowText{fmt::format("ydl-mx {}\n", core::kVersion)};
  respell(line.ours);
  if (auto parsed = parse_with(app, std::move(line.ours)); !parsed) return core::fail(parsed.error());
  if (auto known = check_ours(app); !known) return core::fail(known.error());
  raw.job.command = std::move(line.task);
  return run_command(raw);
}

}  // namespace ydl::cli

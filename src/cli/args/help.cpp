#include "cli/args/help.hpp"

#include "cli/args/raw_options.hpp"
#include "core/strings.hpp"
#include "core/version.hpp"
#include "framework/framework.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::cli {

std::string top_help() {
  std::string text = fmt::format(
      "ydl {}: distributed deep-learning jobs on this machine and on Hadoop YARN\n"
      "\n"
      "  ydl run --framework pytorch --n 2 -- python train.py --epochs 3\n"
      "  ydl submit job.yaml\n"
      "\n"
      "Commands (`ydl COMMAND --help` says more):\n",
      core::kVersion);
  for (const auto& command : describe_commands()) text += fmt::format("  {:<12}{}\n", command.name, command.text);
  text += "\nFrameworks:\n";
  for (const auto* framework : framework::all())
    text += fmt::format("  {:<12}{}\n", framework->name(), framework->summary());
  text += fmt::format(
      "\n"
      "Every command takes --output auto|tty|plain|json|quiet; run, submit, ls and env take\n"
      "--cluster {}.\n"
      "Jobs are kept in $XDG_STATE_HOME/ydl/jobs, or ~/.local/state/ydl/jobs.\n",
      fmt::join(cluster_words(), "|"));
  return text;
}

std::string mx_help() {
  return "ydl-mx: an MXNet job with parameter servers\n"
         "\n"
         "  ydl-mx --n 2 train_mnist.py --kv-store dist_sync --data-dir .\n"
         "\n"
         "  --n N              workers\n"
         "  --s N              servers (default: as many as workers)\n"
         "  --jobname NAME     name of the job\n"
         "  --dry-run          show what would run, and run nothing\n"
         "  --detach           print the job's id and leave it running\n"
         "\n"
         "Everything after the task belongs to the task; a leading `python` may be there or not. A task that is\n"
         "no .py file runs as it is. All other options are those of `ydl run`: see `ydl run --help`.\n";
}

std::string command_help(const CommandHelp& command) {
  std::string text = fmt::format("{}\n\nusage: {}\n\n", command.text, command.usage);
  std::vector<std::string> heads;
  std::size_t widest = 0;
  for (const auto& option : command.options) {
    heads.push_back(core::join(option.names, ", ") + (option.value.empty() ? "" : " " + option.value));
    if (heads.back().size() <= 30) widest = std::max(widest, heads.back().size());
  }
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if (!command.options[i].is_listed) continue;
    if (heads[i].size() > widest)
      text += fmt::format("  {}\n  {:<{}}  {}\n", heads[i], "", widest, command.options[i].text);
    else
      text += fmt::format("  {:<{}}  {}\n", heads[i], widest, command.options[i].text);
  }
  return text;
}

}  // namespace ydl::cli

#include "cli/args/help.hpp"

#include "cli/args/raw_options.hpp"
#include "core/cluster_kind.hpp"
#include "core/strings.hpp"
#include "core/version.hpp"
#include "framework/framework.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace ydl::cli {

std::string top_help() {
  std::string text = fmt::format(
      "ydl {}: distributed deep-learning jobs on {}\n"
      "\n"
      "  ydl run --framework pytorch --n 2 -- python train.py --epochs 3\n"
      "  ydl submit job.yaml\n"
      "\n"
      "Commands (`ydl help COMMAND` explains one):\n",
      core::kVersion, fmt::join(core::kClusterTitles, " and on "));
  for (const auto& command : describe_commands()) text += fmt::format("  {:<12}{}\n", command.name, command.text);
  text += fmt::format("  {:<12}{}\n", "help", "Show this page, or with the name of a command its options");
  text += fmt::format("  {:<12}{}\n", "version", "Show the version");
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
         "  --n N              Workers\n"
         "  --s N              Servers (default: as many as workers)\n"
         "  --jobname NAME     Name of the job\n"
         "  --dry-run          Show what would run without running it\n"
         "  --detach           Print the id of the job and do not wait for its end\n"
         "\n"
         "Everything after the script belongs to the script. A leading `python` is optional. A program that does not\n"
         "end in .py runs as it is. All other options are those of `ydl run`: see `ydl run --help-all`.\n";
}

namespace {

// The six that most jobs need. The others are named below them, and explained by --help-all.
constexpr std::array<std::string_view, 6> kEveryday{"--framework", "--n",    "--worker-memory",
                                                    "--env",       "--file", "--detach"};
constexpr std::size_t kOnOneScreen = 30;  // more options than this are not all explained by --help
constexpr std::size_t kWidth = 100;

bool is_everyday(const OptionHelp& option) {
  return std::ranges::any_of(
      option.names, [](const std::string& name) { return std::ranges::find(kEveryday, name) != kEveryday.end(); });
}

std::string head_of(const OptionHelp& option) {
  return core::join(option.names, ", ") + (option.value.empty() ? "" : " " + option.value);
}

// Lines of two columns.
std::string explain(const std::vector<const OptionHelp*>& options) {
  constexpr std::size_t kWidestHead = 30;
  std::size_t widest = 0;
  for (const auto* option : options) {
    if (const auto size = head_of(*option).size(); size <= kWidestHead) widest = std::max(widest, size);
  }
  std::string text;
  for (const auto* option : options) {
    const auto head = head_of(*option);
    if (head.size() > widest)
      text += fmt::format("  {}\n  {:<{}}  {}\n", head, "", widest, option->text);
    else
      text += fmt::format("  {:<{}}  {}\n", head, widest, option->text);
  }
  return text;
}

// The names of the options of one group, in lines below each other.
std::string name_group(std::string_view title, const std::vector<const OptionHelp*>& options) {
  constexpr std::size_t kIndent = 19;
  std::string text;
  std::string line = fmt::format("  {:<{}}", title, kIndent - 2);
  for (const auto* option : options) {
    const auto& name = option->names.back();
    if (line.size() + name.size() + 1 > kWidth) {
      text += line + "\n";
      line = std::string(kIndent, ' ');
    }
    line += (line.size() > kIndent ? " " : "") + name;
  }
  return text + line + "\n";
}

std::vector<const OptionHelp*> listed(const CommandHelp& command) {
  std::vector<const OptionHelp*> options;
  for (const auto& option : command.options) {
    if (option.is_listed) options.push_back(&option);
  }
  return options;
}

std::vector<std::string> groups_of(const std::vector<const OptionHelp*>& options) {
  std::vector<std::string> groups;
  for (const auto* option : options) {
    if (std::ranges::find(groups, option->group) == groups.end()) groups.push_back(option->group);
  }
  return groups;
}

std::vector<const OptionHelp*> in_group(std::vector<const OptionHelp*> options, std::string_view group) {
  std::erase_if(options, [&](const OptionHelp* option) { return option->group != group; });
  return options;
}

std::string short_help(const CommandHelp& command) {
  const auto options = listed(command);
  std::vector<const OptionHelp*> everyday;
  for (const auto name : kEveryday) {
    const auto is_it = [&](const OptionHelp* option) {
      return std::ranges::find(option->names, name) != option->names.end();
    };
    if (const auto found = std::ranges::find_if(options, is_it); found != options.end()) everyday.push_back(*found);
  }
  auto text = explain(everyday) + fmt::format("\nMore options (`ydl {} --help-all` explains them):\n", command.name);
  for (const auto& group : groups_of(options)) {
    auto others = in_group(options, group);
    std::erase_if(others, [](const OptionHelp* option) { return is_everyday(*option); });
    if (!others.empty()) text += name_group(group, others);
  }
  return text;
}

std::string full_help(const CommandHelp& command) {
  const auto options = listed(command);
  const auto groups = groups_of(options);
  if (groups.size() <= 1) return explain(options);
  std::string text;
  for (const auto& group : groups) {
    const bool is_first_ungrouped = group == "Options" && text.empty();
    text += fmt::format("{}{}{}", text.empty() ? "" : "\n", is_first_ungrouped ? "" : group + "\n",
                        explain(in_group(options, group)));
  }
  return text;
}

}  // namespace

HelpLength help_length(const std::vector<std::string>& words) {
  return std::ranges::find(words, "--help-all") != words.end() ? HelpLength::full : HelpLength::screen;
}

std::string command_help(const CommandHelp& command, HelpLength length) {
  std::string text = command.text + "\n\n";
  if (command.name == "run") {
    text +=
        "  ydl run --framework pytorch --n 2 -- python train.py --epochs 3\n"
        "  ydl run --framework mxnet --n 4 --s 2 --worker-memory 4g -- train.py --kv-store dist_sync\n\n";
  }
  text += fmt::format("usage: {}\n\n", command.usage);
  const bool is_long = listed(command).size() > kOnOneScreen;
  return text + (is_long && length == HelpLength::screen ? short_help(command) : full_help(command));
}

}  // namespace ydl::cli

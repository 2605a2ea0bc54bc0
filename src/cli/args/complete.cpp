#include "cli/args/complete.hpp"

#include "cli/args/raw_options.hpp"
#include "cli/args/task_line.hpp"
#include "cli/fs/fs_command.hpp"
#include "core/job_states.hpp"
#include "core/strings.hpp"
#include "framework/framework.hpp"
#include "spec/image_rules.hpp"
#include "spec/rules.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <ranges>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

using Words = std::vector<std::string>;

template <class Range>
Candidates choices(const Range& words) {
  Candidates found;
  for (const auto& word : words) found.words.push_back({std::string(word), {}});
  return found;
}

Candidates frameworks() {
  Candidates found;
  for (const auto* framework : framework::all())
    found.words.push_back({std::string(framework->name()), std::string(framework->summary())});
  return found;
}

enum class Which { all, running, ended };

Candidates jobs(const CompletionSources& sources, Which which) {
  Candidates found;
  for (const auto& job : sources.jobs()) {
    if (which == Which::all || (which == Which::running) == job.is_running) found.words.push_back({job.id, job.state});
  }
  return found;
}

// The tasks of a job and its roles.
Candidates tasks(const CompletionSources& sources, const std::string& job) {
  return job.empty() ? Candidates{} : choices(sources.tasks(job));
}

// The values of an option. `job` is the job that the line names, or empty.
Candidates values_of(const OptionHelp& option, const std::string& job, const CompletionSources& sources) {
  const auto is = [&](std::string_view name) { return std::ranges::find(option.names, name) != option.names.end(); };
  if (is("--framework")) return frameworks();
  if (is("--cluster")) return choices(cluster_words());
  if (is("--output")) return choices(std::array{"auto", "tty", "plain", "json", "quiet"});
  if (is("--blacklist")) return choices(spec::kBlacklistModes);
  if (is("--am")) return choices(spec::kAmKinds);
  if (is("--image-runtime")) return choices(spec::kImageRuntimes);
  if (is("--stream")) return choices(std::array{"stdout", "stderr"});
  if (is("--show-logs")) return choices(std::array{"none", "first", "all"});
  if (is("--state")) return choices(core::EnumNames<core::JobState>::kNames);
  if (is("--restore-from")) return jobs(sources, Which::all);
  if (is("--task")) return tasks(sources, job);
  constexpr std::array<std::string_view, 3> kPaths{"PATH", "DIR", "FILE"};
  return {.words = {},
          .files = std::ranges::any_of(kPaths, [&](std::string_view path) { return option.value.starts_with(path); })};
}

bool is_positional(const OptionHelp& option) {
  return !option.names.front().starts_with('-');
}

const OptionHelp* find_option(const CommandHelp& command, std::string_view name) {
  const auto found = std::ranges::find_if(command.options, [&](const OptionHelp& option) {
    return std::ranges::find(option.names, name) != option.names.end();
  });
  return found == command.options.end() ? nullptr : &*found;
}

Candidates option_names(const CommandHelp& command) {
  Candidates found;
  for (const auto& option : command.options) {
    for (const auto& name : option.names) {
      if (name.starts_with("--")) found.words.push_back({name, option.text});
    }
  }
  found.words.push_back({"--help", "Show the options"});
  return found;
}

// What may stand as the argument of this number, the first being 0. `before` has those on the line.
Candidates argument(const CommandHelp& command, const Words& before, const CompletionSources& sources) {
  if (command.name == "kill") return jobs(sources, Which::running);
  if (command.name == "follow") return before.empty() ? jobs(sources, Which::running) : Candidates{};
  if (command.name == "rm") return jobs(sources, Which::ended);
  if (command.name == "submit") return {.words = {}, .files = before.empty()};
  if (command.name == "completion" && before.empty()) return choices(std::array{"bash", "zsh", "fish"});
  if (command.name == "env") {
    if (before.empty()) return choices(std::array{"ls", "gc", "why"});
    return before.size() == 1 && before.front() == "why" ? jobs(sources, Which::all) : Candidates{};
  }
  if (command.name == "results") {
    if (before.empty()) return choices(std::array{"ls", "get"});
    return before.size() == 1 ? jobs(sources, Which::all) : Candidates{};
  }
  Words names;
  for (const auto& option : command.options | std::views::filter(is_positional)) names.push_back(option.names.front());
  if (before.size() >= names.size()) return {};
  if (names[before.size()].starts_with("ID")) return jobs(sources, Which::all);
  if (names[before.size()].starts_with("TASK")) return tasks(sources, before.front());
  return {};
}

Candidates fs_words(const Words& words) {
  if (words.size() <= 1) return choices(fs_commands());
  return {.words = {}, .files = words.front() == "put" || words.front() == "get"};
}

// `words` begin after the command.
Candidates complete_command(const CommandHelp& command, const Words& words, const CompletionSources& sources) {
  if (command.name == "fs") return fs_words(words);
  const auto takes_value = [&](std::string_view word) {
    const auto* option = word == "-hip" ? find_option(command, "--host-ip") : find_option(command, word);
    return option != nullptr && !option->value.empty();
  };
  const auto& current = words.back();
  const Words before(words.begin(), words.end() - 1);
  if (command.takes_task) {
    const auto line = split_at_task(before, takes_value);
    const bool is_value = !before.empty() && !line.ours.empty() && line.task.empty() && takes_value(before.back());
    if (!line.task.empty() || (!before.empty() && before.back() == "--" && !is_value))
      return {.words = {}, .files = true};
  }
  Words arguments;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!before[i].starts_with('-')) {
      arguments.push_back(before[i]);
    } else if (takes_value(before[i]) && ++i == before.size()) {
      return values_of(*find_option(command, before.back() == "-hip" ? "--host-ip" : before.back()),
                       arguments.empty() ? std::string() : arguments.back(), sources);
    }
  }
  if (const auto equals = current.find('='); current.starts_with("--") && equals != std::string::npos) {
    const auto* option = find_option(command, current.substr(0, equals));
    if (option == nullptr) return {};
    auto found = values_of(*option, arguments.empty() ? std::string() : arguments.back(), sources);
    for (auto& candidate : found.words) candidate.word.insert(0, current.substr(0, equals + 1));
    return found;
  }
  if (current.starts_with('-')) return option_names(command);
  if (command.takes_task) return {.words = {}, .files = true};
  return argument(command, arguments, sources);
}

Candidates complete_first(const std::vector<CommandHelp>& commands, const std::string& current) {
  if (current.starts_with('-')) return choices(std::array{"--help", "--version"});
  Candidates found;
  for (const auto& command : commands) found.words.push_back({command.name, command.text});
  found.words.push_back({"help", "Show the help of a command"});
  return found;
}

Candidates find_candidates(std::string_view program, const Words& words, const CompletionSources& sources) {
  if (program == "ydl-mx") return complete_command(describe_mx(), words, sources);
  const auto commands = describe_commands();
  if (words.size() == 1) return complete_first(commands, words.front());
  if (words.front() == "help") return words.size() == 2 ? complete_first(commands, {}) : Candidates{};
  const auto command = std::ranges::find(commands, words.front(), &CommandHelp::name);
  if (command == commands.end()) return {};
  return complete_command(*command, {words.begin() + 1, words.end()}, sources);
}

}  // namespace

Candidates complete(std::string_view program, const std::vector<std::string>& words, const CompletionSources& sources) {
  const Words some = words.empty() ? Words{""} : words;
  auto found = find_candidates(program, some, sources);
  std::erase_if(found.words, [&](const Candidate& candidate) { return !candidate.word.starts_with(some.back()); });
  return found;
}

std::string candidate_lines(const Candidates& candidates) {
  std::string lines;
  for (const auto& [word, text] : candidates.words)
    lines += text.empty() ? word + "\n" : fmt::format("{}\t{}\n", word, text);
  return candidates.files ? lines + ":files\n" : lines;
}

}  // namespace ydl::cli

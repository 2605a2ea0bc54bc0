// Shell completion and the manual, both made from the grammar, so that they cannot lag behind it.
#include "cli/args/commands.hpp"
#include "cli/args/parse.hpp"
#include "cli/commands/common.hpp"
#include "core/strings.hpp"
#include "core/version.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

bool takes_job(const CommandHelp& command) {
  const auto argument = std::ranges::find_if(
      command.options, [](const OptionHelp& option) { return !option.names.front().starts_with('-'); });
  return argument != command.options.end() && argument->names.front() == "ID";
}

// Commands whose first argument is a job.
std::vector<std::string> job_commands(const std::vector<CommandHelp>& commands) {
  std::vector<std::string> names;
  for (const auto& command : commands) {
    if (takes_job(command)) names.push_back(command.name);
  }
  return names;
}

std::vector<std::string> option_names(const CommandHelp& command) {
  std::vector<std::string> names;
  for (const auto& option : command.options) {
    std::ranges::copy_if(option.names, std::back_inserter(names),
                         [](const std::string& name) { return name.starts_with("--"); });
  }
  return names;
}

std::string bash(const std::vector<CommandHelp>& commands) {
  std::vector<std::string> names;
  std::string cases;
  for (const auto& command : commands) {
    names.push_back(command.name);
    cases += fmt::format("    {}) words='{}' ;;\n", command.name, core::join(option_names(command), " "));
  }
  return fmt::format(R"SH(# bash completion for ydl; load it with: source <(ydl completion bash)
_ydl() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" words=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{0} --help --version' -- "$current"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{1}  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  elif [[ "${{COMP_WORDS[1]}}" =~ ^({2})$ ]]; then
    COMPREPLY=($(compgen -W "$(ydl ls 2>/dev/null | awk 'NR > 1 {{print $1}}')" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _ydl ydl
)SH",
                     core::join(names, " "), cases, core::join(job_commands(commands), "|"));
}

std::string quoted_for_zsh(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\'')
      safe += "'\\''";
    else if (c == ':' || c == '[' || c == ']')
      safe += fmt::format("\\{}", c);
    else
      safe += c;
  }
  return safe;
}

std::string zsh(const std::vector<CommandHelp>& commands) {
  std::string list;
  std::string cases;
  for (const auto& command : commands) {
    list += fmt::format("    '{}:{}'\n", command.name, quoted_for_zsh(command.text));
    cases += fmt::format("    {})\n      _arguments", command.name);
    for (const auto& option : command.options) {
      if (!option.names.back().starts_with('-')) continue;
      cases += fmt::format(" \\\n        '{}[{}]{}'", option.names.back(), quoted_for_zsh(option.text),
                           option.value.empty() ? "" : ":value:_files");
    }
    cases += fmt::format(" \\\n        '*:argument:{}'\n      ;;\n",
                         takes_job(command) ? "($(ydl ls 2>/dev/null | awk \"NR > 1 {print \\$1}\"))" : "_files");
  }
  return fmt::format(R"SH(#compdef ydl
# zsh completion for ydl; put it on your fpath as _ydl
_ydl() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "$words[2]" in
{}  esac
}}
_ydl "$@"
)SH",
                     list, cases);
}

std::string fish(const std::vector<CommandHelp>& commands) {
  std::string text = "# fish completion for ydl; put it in ~/.config/fish/completions/ydl.fish\n";
  for (const auto& command : commands) {
    text += fmt::format("complete -c ydl -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        core::shell_quote(command.text));
    for (const auto& option : command.options) {
      if (!option.names.back().starts_with("--")) continue;
      text +=
          fmt::format("complete -c ydl -n '__fish_seen_subcommand_from {}' -l {} -d {}{}\n", command.name,
                      option.names.back().substr(2), core::shell_quote(option.text), option.value.empty() ? "" : " -r");
    }
  }
  text += fmt::format(
      "complete -c ydl -n '__fish_seen_subcommand_from {}' -f -a \"(ydl ls 2>/dev/null | awk 'NR > 1 {{print "
      "\\$1}}')\"\n",
      core::join(job_commands(commands), " "));
  return text;
}

// A word as troff prints it.
std::string troff(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\')
      safe += "\\e";
    else if (c == '-')
      safe += "\\-";
    else
      safe += c;
  }
  return safe.starts_with('.') ? "\\&" + safe : safe;
}

}  // namespace

int execute(const Completion& command) {
  const auto commands = describe_commands();
  if (command.shell == "bash")
    print(bash(commands));
  else if (command.shell == "zsh")
    print(zsh(commands));
  else if (command.shell == "fish")
    print(fish(commands));
  else
    return complain({make_error_code(core::Errc::usage),
                     fmt::format("'{}' is no shell ydl completes in: bash, zsh or fish", command.shell)});
  return 0;
}

int execute(const ManPage&) {
  print(fmt::format(".TH YDL 1 \"\" \"ydl {}\" \"User Commands\"\n.SH NAME\nydl \\- distributed deep\\-learning jobs\n",
                    core::kVersion));
  print(
      ".SH SYNOPSIS\n.B ydl\n.I COMMAND\n[options]\n.SH DESCRIPTION\n"
      "Runs a distributed deep\\-learning job, follows it and ends it cleanly. Each task finds its peers in its "
      "environment, "
      "as its framework expects it. Jobs are kept in $XDG_STATE_HOME/ydl/jobs, or ~/.local/state/ydl/jobs.\n.SH "
      "COMMANDS\n");
  for (const auto& command : describe_commands()) {
    print(fmt::format(".SS {}\n{}.\n", troff(command.usage), troff(command.text)));
    for (const auto& option : command.options) {
      print(fmt::format(".TP\n.B {} {}\n{}\n", troff(core::join(option.names, ", ")), troff(option.value),
                        troff(option.text)));
    }
  }
  print(
      ".SH EXIT STATUS\n0, or the code of the task that decided; 1 when something else failed, 2 for a wrong command "
      "line, 130 when the job was stopped.\n"
      ".SH FILES\n.TP\n.I ~/.local/state/ydl/jobs\nOne folder per job: what was asked, what happened, logs and "
      "results.\n");
  return 0;
}

}  // namespace ydl::cli

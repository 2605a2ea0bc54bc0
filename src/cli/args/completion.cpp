// The completion scripts of the shells, and the manual, which is made from the grammar.
#include "cli/args/commands.hpp"
#include "cli/args/complete.hpp"
#include "cli/args/parse.hpp"
#include "cli/commands/common.hpp"
#include "core/strings.hpp"
#include "core/version.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

// Each script asks this program and offers what it prints: one candidate a line, its description after a tab, and
// ":files" where the shell's own completion of files fits.
constexpr std::string_view kBash = R"SH(# bash completion for ydl; load it with: source <(ydl completion bash)
_ydl() {
  local line="${COMP_LINE:0:COMP_POINT}" word rest prefix
  local -a words
  read -ra words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  # bash replaces only what follows the last = or : of a word.
  word="${words[${#words[@]}-1]}"
  prefix="${word%"${word##*[=:]}"}"
  COMPREPLY=()
  while IFS=$'\t' read -r word rest; do
    if [[ "$word" == :files ]]; then
      compopt -o default 2>/dev/null
    else
      COMPREPLY+=("${word#"$prefix"}")
    fi
  done < <("${words[0]}" __complete "${words[@]:1}" 2>/dev/null)
}
complete -F _ydl ydl ydl-mx
)SH";

constexpr std::string_view kZsh = R"SH(#compdef ydl ydl-mx
# zsh completion for ydl; put it on your fpath as _ydl, or load it with: source <(ydl completion zsh)
_ydl() {
  local line word
  local -a candidates
  for line in "${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    word="${line%%$'\t'*}"
    if [[ "$line" == :files ]]; then
      _files
    elif [[ "$line" == *$'\t'* ]]; then
      candidates+=("${word//:/\\:}:${line#*$'\t'}")
    elif [[ -n "$line" ]]; then
      candidates+=("${word//:/\\:}")
    fi
  done
  (( ${#candidates} )) && _describe 'ydl' candidates
}
if [[ "${funcstack[1]}" == _ydl ]]; then
  _ydl "$@"
else
  compdef _ydl ydl ydl-mx
fi
)SH";

constexpr std::string_view kFish = R"SH(# fish completion for ydl; put it in ~/.config/fish/completions/ydl.fish
function __ydl_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] __complete $words[2..-1] 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path $words[-1]
        else
            echo $line
        end
    end
end
complete -c ydl -f -a '(__ydl_complete)'
complete -c ydl-mx -f -a '(__ydl_complete)'
)SH";

// A word as troff prints it.
std::string troff(std::string_view text) {
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (text.substr(i).starts_with("…")) {  // groff warns about what is not ASCII
      safe += "...";
      i += std::string_view("…").size() - 1;
    } else if (c == '\\')
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
  if (command.shell == "bash")
    print(kBash);
  else if (command.shell == "zsh")
    print(kZsh);
  else if (command.shell == "fish")
    print(kFish);
  else
    return complain({make_error_code(core::Errc::usage),
                     fmt::format("unknown shell '{}' (available: bash, zsh, fish)", core::printable(command.shell))});
  return 0;
}

int execute(const Complete& command) {
  print(candidate_lines(complete(command.program, command.words)));
  return 0;
}

int execute(const ManPage&) {
  print(fmt::format(".TH YDL 1 \"\" \"ydl {}\" \"User Commands\"\n.SH NAME\nydl \\- distributed deep\\-learning jobs\n",
                    core::kVersion));
  print(
      ".SH SYNOPSIS\n.B ydl\n.I COMMAND\n[options]\n.SH DESCRIPTION\n"
      "Runs a distributed deep\\-learning job and follows it until it ends. Each task finds its peers in its "
      "environment, "
      "as its framework expects them. Jobs are kept in $XDG_STATE_HOME/ydl/jobs, or ~/.local/state/ydl/jobs.\n.SH "
      "COMMANDS\n");
  for (const auto& command : describe_commands()) {
    print(fmt::format(".SS {}\n{}.\n", troff(command.usage), troff(command.text)));
    for (const auto& option : command.options) {
      print(fmt::format(".TP\n.B {} {}\n{}\n", troff(core::join(option.names, ", ")), troff(option.value),
                        troff(option.text)));
    }
  }
  print(
      ".SH EXAMPLES\nTwo PyTorch workers on this machine or the configured cluster:\n.PP\n.EX\n"
      "ydl run \\-\\-framework pytorch \\-\\-n 2 \\-\\- python train.py \\-\\-epochs 3\n.EE\n.PP\n"
      "An MXNet job with parameter servers:\n.PP\n.EX\nydl\\-mx \\-\\-n 2 train_mnist.py \\-\\-kv\\-store dist_sync\n"
      ".EE\n.PP\nA job that a file describes, without waiting for its end:\n.PP\n.EX\nydl submit \\-\\-detach "
      "job.yaml\n"
      "ydl logs \\-f\nydl kill ID\n.EE\n"
      ".SH ENVIRONMENT\n"
      ".TP\n.B HADOOP_CONF_DIR\nFolder with the configuration of the cluster. If there is none, in "
      "$HADOOP_HOME/etc/hadoop and in /etc/hadoop/conf\nneither, jobs run on this machine.\n"
      ".TP\n.B HADOOP_HOME\nIts folder etc/hadoop is used where HADOOP_CONF_DIR is not set.\n"
      ".TP\n.B HADOOP_TOKEN_FILE_LOCATION\nFile with delegation tokens, used where there is no Kerberos ticket.\n"
      ".TP\n.B KRB5CCNAME\nCache with the Kerberos ticket.\n"
      ".TP\n.B HADOOP_USER_NAME\nUser name on a cluster without Kerberos.\n"
      ".TP\n.B XDG_STATE_HOME\nJobs are kept in its folder ydl/jobs. The default is ~/.local/state.\n"
      ".TP\n.B NO_COLOR\nIf set and not empty, output has no colours.\n"
      ".SH EXIT STATUS\n0 for success, else the exit code of the task that failed first. 1 when something else failed, "
      "2 for a wrong "
      "command line, 124 when the time of the job ran out, 126 or 127 when its command cannot be started, 130 when the "
      "job was stopped.\n"
      ".SH FILES\n.TP\n.I ~/.local/state/ydl/jobs\nOne folder per job with its description, events, logs and "
      "results.\n");
  return 0;
}

}  // namespace ydl::cli

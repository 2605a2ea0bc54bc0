#include "cli/fs/fs_command.hpp"
#include "core/strings.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

using core::Errc;
using core::fail;

struct VerbInfo {
  std::string_view name;
  FsVerb verb;
  std::string_view
      // one letter each; 'T' is --skip-trash, 'n' has a number; except for tail, -f may also be written --force
      flags;
  std::size_t least;  // minimum number of arguments
  std::string_view usage;
  std::string_view text;
};

constexpr auto kVerbs = std::to_array<VerbInfo>({
    {"ls", FsVerb::ls, "Rh", 0, "ls [-R] [-h] [PATH …]", "List files and directories (default: your home directory)"},
    {"cat", FsVerb::cat, "", 1, "cat PATH …", "Print files"},
    {"put", FsVerb::put, "f", 2, "put [-f] LOCAL … PATH", "Copy to HDFS (- is standard input); -f replaces files"},
    {"get", FsVerb::get, "f", 1, "get [-f] PATH … [LOCAL]", "Copy from HDFS; -f replaces files"},
    {"rm", FsVerb::rm, "rfT", 1, "rm [-r] [-f] [--skip-trash] PATH …",
     "Delete, by moving to the trash if there is one"},
    {"mkdir", FsVerb::mkdir, "p", 1, "mkdir [-p] PATH …", "Create directories, with -p also their parents"},
    {"mv", FsVerb::mv, "f", 2, "mv [-f] FROM … TO", "Rename, or move into a directory; -f replaces files"},
    {"du", FsVerb::du, "sh", 0, "du [-s] [-h] [PATH …]", "Show the sizes in directories, with -s the total"},
    {"stat", FsVerb::stat, "", 1, "stat PATH …", "Show all information about a file"},
    {"tail", FsVerb::tail, "fn", 1, "tail [-f] [-n LINES] PATH", "Print the end of a file, with -f follow it"},
    {"chmod", FsVerb::chmod, "R", 2, "chmod [-R] MODE PATH …", "Change permissions: 640, u+x,go-w"},
});

bool set_flag(Fs& command, char flag) {
  switch (flag) {
    case 'R':
    case 'r':
      command.recursive = true;
      return true;
    case 'h':
      command.human = true;
      return true;
    case 's':
      command.summary = true;
      return true;
    case 'p':
      command.parents = true;
      return true;
    case 'f':
      command.follow = command.verb == FsVerb::tail;
      command.force = command.verb != FsVerb::tail;
      return true;
    case 'T':
      command.skip_trash = true;
      return true;
    default:
      return false;
  }
}

// Parses the words: long options, joined short options, and paths.
class Words {
 public:
  Words(const VerbInfo& info, Fs& command) : info_(info), command_(command) {}

  core::Result<> take(const std::vector<std::string>& words, std::size_t first) {
    for (std::size_t i = first; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (word.empty()) {
        return fail(Errc::usage,
                    fmt::format("a path of `ydl fs {}` is empty; write . for your home directory", info_.name));
      }
      if (only_paths_ || word == "-" || !word.starts_with('-')) {
        command_.paths.push_back(word);
      } else if (word == "--") {
        only_paths_ = true;
      } else if (word == "--output" || word.starts_with("--output=")) {
        if (auto mode = set_output(word, words, i); !mode) return mode;
      } else if (word == "--skip-trash" && has('T')) {
        set_flag(command_, 'T');
      } else if (word == "--force" && has('f') && command_.verb != FsVerb::tail) {
        command_.force = true;
      } else if (word == "-n" && has('n') && i + 1 < words.size()) {
        const auto lines = core::parse_int<int>(words[++i]);
        if (!lines || *lines < 0)
          return fail(Errc::usage,
                      fmt::format("-n {}: this is not a number of lines; write for example -n 10", words[i]));
        command_.lines = *lines;
      } else if (auto letters = take_letters(word); !letters) {
        return letters;
      }
    }
    return {};
  }

 private:
  bool has(char flag) const { return info_.flags.find(flag) != std::string_view::npos; }

  core::Result<> set_output(const std::string& word, const std::vector<std::string>& words, std::size_t& i) {
    const auto equals = word.find('=');
    if (equals == std::string::npos && i + 1 == words.size())
      return fail(Errc::usage, "--output has no value; write for example --output json");
    const auto mode = ui::parse_mode(equals == std::string::npos ? words[++i] : word.substr(equals + 1));
    if (!mode) return fail(mode.error());
    command_.output = *mode;
    return {};
  }

  core::Result<> take_letters(const std::string& word) {
    for (const char letter : word.substr(1)) {
      // As in POSIX tools, -R and -r are accepted for each other.
      const bool known = has(letter) || (letter == 'R' && has('r')) || (letter == 'r' && has('R'));
      if (word.starts_with("--") || !known || letter == 'T' || letter == 'n' || !set_flag(command_, letter)) {
        return fail(Errc::usage,
                    fmt::format("`ydl fs {}` has no option {} (usage: ydl fs {})", info_.name, word, info_.usage));
      }
    }
    return {};
  }

  const VerbInfo& info_;
  Fs& command_;
  bool only_paths_ = false;
};

}  // namespace

core::Result<Fs> parse_fs(const std::vector<std::string>& words) {
  if (words.empty())
    return fail(Errc::usage, "the command is missing; write for example `ydl fs ls` (`ydl fs --help` lists them)");
  const auto* info = std::ranges::find(kVerbs, words.front(), &VerbInfo::name);
  if (info == kVerbs.end()) {
    return fail(Errc::usage, fmt::format("unknown command 'ydl fs {}'{} (`ydl fs --help` lists them)", words.front(),
                                         core::did_you_mean(words.front(), fs_commands())));
  }
  Fs command;
  command.verb = info->verb;
  if (auto taken = Words(*info, command).take(words, 1); !taken) return fail(taken.error());
  if (command.paths.size() < info->least) return fail(Errc::usage, fmt::format("usage: ydl fs {}", info->usage));
  const bool prints_bytes = command.verb == FsVerb::cat || command.verb == FsVerb::tail;
  if (prints_bytes && command.output == ui::Mode::json) {
    return fail(
        Errc::usage,
        fmt::format("`ydl fs {}` prints the bytes of files, which are not JSON; leave out --output", info->name));
  }
  if (command.verb == FsVerb::chmod) {
    command.mode = command.paths.front();
    command.paths.erase(command.paths.begin());
  }
  if (command.paths.empty()) command.paths.emplace_back(".");
  return command;
}

std::vector<std::string_view> fs_commands() {
  std::vector<std::string_view> names;
  for (const auto& verb : kVerbs) names.push_back(verb.name);
  return names;
}

std::string fs_help() {
  std::string text =
      "Work with files in HDFS\n"
      "\n"
      "usage: ydl fs COMMAND [options] PATH …\n"
      "\n";
  for (const auto& verb : kVerbs) text += fmt::format("  {:<38}{}\n", verb.usage, verb.text);
  text +=
      "\n"
      "A path without a leading / is relative to your home directory, /user/NAME. Paths in HDFS may contain\n"
      "the patterns *, ? and [a-z]; quote them, otherwise the shell expands them. The cluster is the one in\n"
      "HADOOP_CONF_DIR. --output json prints one object per line.\n";
  return text;
}

}  // namespace ydl::cli

#pragma once

#include "core/result.hpp"
#include "hconf/config.hpp"
#include "ui/display.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// `ydl fs`: what was asked for.
namespace ydl::cli {

enum class FsVerb { ls, cat, put, get, rm, mkdir, mv, du, stat, tail, chmod };

struct Fs {
  ui::Mode output = ui::Mode::automatic;
  FsVerb verb = FsVerb::ls;
  bool recursive = false;   // ls -R, rm -r, chmod -R
  bool human = false;       // -h
  bool summary = false;     // du -s
  bool parents = false;     // mkdir -p
  bool follow = false;      // tail -f
  bool force = false;       // rm -f, get -f, put -f, mv -f
  bool skip_trash = false;  // rm --skip-trash
  int lines = 10;           // tail -n
  std::string mode;         // chmod
  std::vector<std::string> paths;
  std::optional<hconf::Config> hadoop;  // of the cluster; nothing: the one of HADOOP_CONF_DIR
  // get: what an entry so deep below a path is called on this machine, nothing for what stays there. Empty: as it is.
  std::function<std::optional<std::string>(std::string_view name, int depth)> name_here;
};

// The words after `ydl fs`. Flags may be joined (-Rh) and stand anywhere before "--". Errors: usage.
[[nodiscard]] core::Result<Fs> parse_fs(const std::vector<std::string>& words);

// Their names, for completion.
[[nodiscard]] std::vector<std::string_view> fs_commands();
// What `ydl fs --help` says, and what `ydl fs VERB --help` does.
[[nodiscard]] std::string fs_help();

}  // namespace ydl::cli

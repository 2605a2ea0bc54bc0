#pragma once

#include "core/result.hpp"
#include "hconf/config.hpp"
#include "ui/display.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The parsed command line of `ydl fs`.
namespace ydl::cli {

enum class FsVerb { ls, cat, put, get, rm, mkdir, mv, du, stat, tail, chmod };

// A file to copy.
struct CopyFile {
  std::string from;
  std::string to;
  std::uint64_t size = 0;
};

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
  std::vector<CopyFile> files;          // get: copies these files; `paths` only tell the file system
  std::optional<hconf::Config> hadoop;  // the cluster's configuration; empty: the one in HADOOP_CONF_DIR
  // For get: returns the local name of an entry at this depth below a path, or nothing if it should not be copied.
  // Empty: names are not changed.
  std::function<std::optional<std::string>(std::string_view name, int depth)> name_here;
};

// Parses the words after `ydl fs`. Flags may be joined (-Rh) and may be anywhere before "--". Errors: usage.
[[nodiscard]] core::Result<Fs> parse_fs(const std::vector<std::string>& words);

// The names of the commands, for completion.
[[nodiscard]] std::vector<std::string_view> fs_commands();
// The help of `ydl fs --help`, and of `ydl fs VERB --help`.
[[nodiscard]] std::string fs_help();

}  // namespace ydl::cli

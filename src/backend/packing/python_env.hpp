#pragma once

#include "backend/packing/file_tree.hpp"
#include "core/result.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::backend {

// The interpreter that a virtual environment leans on. It travels along: the hosts need not have it.
struct BasePython {
  std::filesystem::path executable;                  // without links in its path
  std::filesystem::path library;                     // the standard library's folder: "/usr/lib/python3.11"
  std::string library_name;                          // the same below a prefix: "lib/python3.11"
  std::vector<std::filesystem::path> packages = {};  // of the environment: ".../site-packages"
  // Where the executable is linked to libpython3.11.so.1.0: that library, and the script that lets it be found there.
  std::optional<std::filesystem::path> shared_code = std::nullopt;
  std::filesystem::path launcher = {};
};

// A Python environment to be shipped.
struct PythonEnv {
  std::filesystem::path archive = {};             // a packed one, used as it is; else:
  std::filesystem::path folder = {};              // an environment on this machine
  std::optional<BasePython> base = std::nullopt;  // of a virtual one; nothing: the folder has its own interpreter
};

// The launcher: "bin/python" of an environment whose interpreter is "bin/python-itself".
inline constexpr std::string_view kLauncher =
    "#!/bin/sh\n"
    "here=$(cd \"$(dirname \"$0\")\" && pwd -P) || exit\n"
    "export LD_LIBRARY_PATH=\"$here/../lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\"\n"
    "exec \"$here/python-itself\" \"$@\"\n";

// What the environment is called in a task's working directory. A file of the user's is never called so.
inline constexpr std::string_view kPythonEnvLink = ".ydl-python-env";
inline constexpr std::string_view kPythonEnvPrograms = ".ydl-python-env/bin";
inline constexpr std::string_view kPythonEnvInterpreter = ".ydl-python-env/bin/python";

// The environment as one that can be moved: interpreter, standard library and packages below one prefix, which Python
// finds from where its executable lies. Errors: something cannot be read.
[[nodiscard]] core::Result<FileTree> environment_tree(const PythonEnv& environment);

}  // namespace ydl::backend

#pragma once

#include "backend/packing/file_tree.hpp"
#include "core/result.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::backend {

// The interpreter that a virtual environment is based on. It is uploaded too, so the hosts do not need it.
struct BasePython {
  std::filesystem::path executable;                  // without links in its path
  std::filesystem::path library;                     // the folder of the standard library: "/usr/lib/python3.11"
  std::string library_name;                          // the same relative to a prefix: "lib/python3.11"
  std::vector<std::filesystem::path> packages = {};  // of the environment: ".../site-packages"
  // If the executable is linked to libpython3.11.so.1.0: that library, and the script with which it is found.
  std::optional<std::filesystem::path> shared_code = std::nullopt;
  std::filesystem::path launcher = {};
};

// A Python environment to upload.
struct PythonEnv {
  std::filesystem::path archive = {};  // a packed environment, used as it is; else:
  std::filesystem::path folder = {};   // an environment on this machine
  std::optional<BasePython> base =
      std::nullopt;  // of a virtual environment; nothing if the folder has its own interpreter
};

// The launcher: "bin/python" of an environment whose interpreter is "bin/python-itself".
inline constexpr std::string_view kLauncher =
    "#!/bin/sh\n"
    "here=$(cd \"$(dirname \"$0\")\" && pwd -P) || exit\n"
    "export LD_LIBRARY_PATH=\"$here/../lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\"\n"
    "exec \"$here/python-itself\" \"$@\"\n";

// The name of the environment in a task's working directory. Users' files must not have this name.
inline constexpr std::string_view kPythonEnvLink = ".ydl-python-env";
inline constexpr std::string_view kPythonEnvPrograms = ".ydl-python-env/bin";
inline constexpr std::string_view kPythonEnvInterpreter = ".ydl-python-env/bin/python";

// Makes an environment that can be moved: interpreter, standard library and packages are below one prefix, which Python
// finds from the path of its executable. Errors: a file cannot be read.
[[nodiscard]] core::Result<FileTree> environment_tree(const PythonEnv& environment);

}  // namespace ydl::backend

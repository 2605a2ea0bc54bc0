#pragma once

#include "backend/packing/file_tree.hpp"
#include "backend/packing/packed_folder.hpp"
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
  // If the executable is linked to libpython3.11.so.1.0: that library.
  std::optional<std::filesystem::path> shared_code = std::nullopt;
};

// Packages that are added to an environment, in a folder for PYTHONPATH.
struct AddedPackages {
  std::filesystem::path folder;
  std::string key;     // see PythonEnv::key
  std::string source;  // for people
};

// A Python environment to upload.
struct PythonEnv {
  std::filesystem::path archive = {};  // a packed environment, used as it is; else:
  std::filesystem::path folder = {};   // an environment on this machine
  std::optional<BasePython> base =
      std::nullopt;                  // of a virtual environment; nothing if the folder has its own interpreter
  std::filesystem::path cache = {};  // the user's: packed environments are kept there
  std::string key = {};              // identifies the content; empty: its files must be looked at each time
  std::string source = {};           // where it comes from, for people
  std::optional<AddedPackages> packages = std::nullopt;
};

// The name of the environment in a task's working directory. Users' files must not have this name.
inline constexpr std::string_view kPythonEnvLink = ".ydl-python-env";
inline constexpr std::string_view kPythonEnvPrograms = ".ydl-python-env/bin";
// The same for added packages.
inline constexpr std::string_view kPythonPackagesLink = ".ydl-python-packages";
inline constexpr std::string_view kPythonEnvInterpreter = ".ydl-python-env/bin/python";

// Makes an environment that can be moved: interpreter, standard library and packages are below one prefix, which Python
// finds from the path of its executable. Libraries that the hosts may not have are in lib/ydl-libraries; then
// bin/python is a script that starts bin/python-itself and names this folder to the loader.
// Errors: a file cannot be read.
[[nodiscard]] core::Result<TreeToPack> environment_tree(const PythonEnv& environment);

// The tree of added packages; libraries are in its folder ydl-libraries.
[[nodiscard]] core::Result<TreeToPack> packages_tree(const AddedPackages& packages);

}  // namespace ydl::backend

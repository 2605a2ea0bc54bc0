#pragma once

#include "core/result.hpp"
#include "core/user.hpp"
#include "spec/job_spec.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ydl::cli {

// The options that describe a job, as they stand on the command line of `ydl run` and `ydl-mx`.
struct JobOptions {
  std::string framework = "none";
  std::string name;
  std::string workers;                 // --n: N or LEAST:MOST
  std::optional<int> servers;          // --s
  std::vector<std::string> roles;      // NAME=N
  std::vector<std::string> resources;  // ROLE:memory=2g,...
  std::string worker_memory, worker_cores, server_memory, server_cores;
  std::vector<std::string> env;       // KEY=VALUE, or KEY
  std::vector<std::string> files;     // SOURCE[=NAME]
  std::vector<std::string> archives;  // SOURCE[#NAME]
  std::vector<std::string> inputs;    // hdfs://PATH[=NAME]
  std::string files_limit;
  bool no_auto_files = false;
  std::string python;
  std::string python_env;
  std::optional<int> retries;
  int job_retries = 0;
  std::string blacklist;
  std::string allocation_timeout, run_timeout, stop_grace, stall_timeout, restore_from;
  std::vector<std::string> command;
};

// The job they describe; pure. `directory` is where the command was typed, `getenv` has the values of variables that
// are given by name alone. Errors: usage, each naming its option.
[[nodiscard]] core::Result<spec::JobSpec> make_spec(const JobOptions& options, const std::string& directory,
                                                    const core::Getenv& getenv = core::process_getenv);

}  // namespace ydl::cli

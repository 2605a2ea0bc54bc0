#pragma once

#include "cli/commands.hpp"
#include "cli/where.hpp"
#include "core/files.hpp"
#include "master/job_folder.hpp"

#include <filesystem>
#include <functional>
#include <string>

// What launching a job has in common wherever it runs.
namespace ydl::cli {

// Where the results of a job go, once it has an id.
using ResultsOf = std::function<std::filesystem::path(const master::JobFolder&)>;

// A new folder with the job's file and its first state. Errors: io.
[[nodiscard]] core::Result<master::JobFolder> make_job_folder(const RunOptions& options, const spec::JobSpec& spec,
                                                              const Where& where, const ResultsOf& results_of);

// Starts the job's master as a process of this machine and waits until it listens, doing something else meanwhile. The
// leash ties its life to ours.
[[nodiscard]] core::Result<core::UniqueFd> start_master(const master::JobFolder& folder, bool detached,
                                                        const std::function<void()>& meanwhile = {});

// On standard error, unless the output is for programs.
void say(const RunOptions& options, const std::string& line);
void say_how_to_follow(const RunOptions& options, const std::string& id);

// `launch_job` for a YARN cluster.
[[nodiscard]] int launch_on_yarn(const RunOptions& options, spec::JobSpec spec, const Where& where);

}  // namespace ydl::cli

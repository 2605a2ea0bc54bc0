#pragma once

#include "cli/args/commands.hpp"
#include "client/cluster_choice.hpp"
#include "core/files.hpp"
#include "jobs/job_folder.hpp"

#include <filesystem>
#include <functional>
#include <string>

// What launching a job has in common wherever it runs.
namespace ydl::cli {

// Where the results of a job go, once it has an id.
using ResultsOf = std::function<std::filesystem::path(const jobs::JobFolder&)>;

// A new folder with the job's file and its first state. Errors: io.
[[nodiscard]] core::Result<jobs::JobFolder> make_job_folder(const RunOptions& options, const spec::JobSpec& spec,
                                                            const client::ClusterChoice& where,
                                                            const ResultsOf& results_of);

// Starts the job's master as a process of this machine and waits until it listens, doing something else meanwhile. The
// leash ties its life to ours.
[[nodiscard]] core::Result<core::UniqueFd> start_master(const jobs::JobFolder& folder, bool detached,
                                                        const std::function<void()>& meanwhile = {});

// On standard error, unless the output is for programs.
void say(const RunOptions& options, const std::string& line);
void say_how_to_follow(const RunOptions& options, const std::string& id);

// `launch_job` for a YARN cluster.
[[nodiscard]] int launch_on_yarn(const RunOptions& options, spec::JobSpec spec, const client::ClusterChoice& where);

}  // namespace ydl::cli

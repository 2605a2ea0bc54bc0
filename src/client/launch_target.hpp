#pragma once

#include "backend/yarn/staging.hpp"
#include "client/cluster_choice.hpp"
#include "core/files.hpp"
#include "core/result.hpp"
#include "jobs/job_folder.hpp"
#include "master/plan.hpp"
#include "master/process.hpp"
#include "net/asio.hpp"
#include "spec/job_spec.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace ydl::client {

// Shows one sentence to the user.
using Say = std::function<void(const std::string&)>;

// What may be done to find out what a job needs.
enum class Effort {
  look,   // for a dry run: build and download nothing
  build,  // build Python environments
};

// A job with its folder and its plan, before its submission.
struct PlannedJob {
  jobs::JobFolder folder;
  master::JobPlan plan;
};

// The steps of a launch that depend on the cluster. There is one class in local/ and one in yarn/; launch.cpp calls the
// steps in the order of their declaration. Single-threaded.
class LaunchTarget {
 public:
  struct StageHooks {
    Say say;
    std::function<void(const backend::StagingProgress&)> show_progress;
    std::stop_token stop = {};  // after a request, staging ends with `cancelled`
  };

  LaunchTarget() = default;
  virtual ~LaunchTarget() = default;
  LaunchTarget(const LaunchTarget&) = delete;
  LaunchTarget& operator=(const LaunchTarget&) = delete;

  // Plan: completes the job for its master, with the paths of scripts as the tasks see them, the interpreter, and the
  // program that runs an image. Errors: usage, not_found; an environment that cannot be built.
  [[nodiscard]] virtual core::Result<spec::JobSpec> complete(spec::JobSpec job, Effort effort, const Say& say) = 0;
  // Plan: the path of a task's command, if it can be known here.
  [[nodiscard]] virtual std::optional<std::string> find_command(const std::string& name) const = 0;

  // Check: whether the cluster has the capacity for the job. Returns notes for the user.
  // Errors: no_capacity, usage; those of the cluster.
  [[nodiscard]] virtual net::Async<std::vector<std::string>> check(const master::JobPlan& plan) = 0;

  // Check: the folders of the job that --restore-from names. Errors: usage; those of the cluster.
  [[nodiscard]] virtual net::Async<jobs::RestoreFolders> restore_from(std::string job) = 0;

  // The folder of the tasks' results. `wanted` is the user's option, or empty. Errors: usage.
  [[nodiscard]] virtual core::Result<std::filesystem::path> results(const jobs::JobFolder& folder,
                                                                    const std::string& wanted) const = 0;

  // Stage: makes the job's files available to its tasks.
  [[nodiscard]] virtual net::Async<> stage(const PlannedJob& job, StageHooks hooks) = 0;

  // Check: the part without calls to a cluster, for a dry run. Errors: no_capacity, usage.
  [[nodiscard]] virtual core::Result<> check_here(const master::JobPlan& plan) const = 0;

  // Submit: submits the job to the cluster; for this machine this does nothing. After a request to stop, nothing more
  // is sent. Errors: those of the cluster; cancelled.
  [[nodiscard]] virtual net::Async<> submit(const PlannedJob& job, const Say& say, std::stop_token stop) = 0;
  // The cluster's name of the job, if its submission was sent, even without an answer. Otherwise empty.
  [[nodiscard]] virtual std::string maybe_submitted_as() const { return {}; }
  // Starts the job's master, if it is a process of this machine. Returns the pipe that ties it to this client, if any.
  [[nodiscard]] virtual net::Async<core::UniqueFd> start(const PlannedJob& job, master::Attachment attachment) = 0;

  // Undoes stage() and submit() for a job that does not run: cancels open calls, stops a job that may have been
  // submitted, and otherwise removes what stage() left outside the job's folder.
  [[nodiscard]] virtual net::awaitable<void> abandon() = 0;
  // What abandon() could not undo, as a clause for users; empty if there is nothing.
  [[nodiscard]] virtual std::string leftovers() const = 0;

  virtual void close() {}
};

// The target for the chosen cluster. Sends nothing. Errors: what is missing in the configuration or the settings.
[[nodiscard]] core::Result<std::unique_ptr<LaunchTarget>> make_launch_target(net::asio::any_io_executor executor,
                                                                             const ClusterChoice& choice);

}  // namespace ydl::client

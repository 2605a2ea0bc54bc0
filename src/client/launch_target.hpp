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

// How much may be done to find out what a job needs.
enum class Effort {
  look,   // for a dry run: nothing is built or downloaded
  build,  // Python environments are made
};

// A job with its folder and its plan, on its way to a cluster.
struct PlannedJob {
  jobs::JobFolder folder;
  master::JobPlan plan;
};

// What launching a job needs of the cluster that it goes to. One class each in local/ and yarn/; launch.cpp calls the
// steps in the order in which they stand here. Belongs to one thread.
class LaunchTarget {
 public:
  struct StageHooks {
    Say say;
    std::function<void(const backend::StagingProgress&)> show_progress;
    std::stop_token stop = {};  // requested: staging ends with `cancelled`
  };

  LaunchTarget() = default;
  virtual ~LaunchTarget() = default;
  LaunchTarget(const LaunchTarget&) = delete;
  LaunchTarget& operator=(const LaunchTarget&) = delete;

  // Plan: the job as its master gets it. The scripts are where the tasks find them, the interpreter and the program
  // that runs an image are named. Errors: usage, not_found; an environment that cannot be made.
  [[nodiscard]] virtual core::Result<spec::JobSpec> complete(spec::JobSpec job, Effort effort, const Say& say) = 0;
  // Plan: where a command of a task is, as far as that is known here.
  [[nodiscard]] virtual std::optional<std::string> find_command(const std::string& name) const = 0;

  // Check: whether there is room for the job. Returns what should be known before it is submitted.
  // Errors: no_capacity, usage; the cluster's.
  [[nodiscard]] virtual net::Async<std::vector<std::string>> check(const master::JobPlan& plan) = 0;

  // Check: where the job that --restore-from names keeps what its tasks wrote. Errors: usage; the cluster's.
  [[nodiscard]] virtual net::Async<jobs::RestoreFolders> restore_from(std::string job) = 0;

  // Where the tasks' results go. `wanted` is what the user said, or empty. Errors: usage.
  [[nodiscard]] virtual core::Result<std::filesystem::path> results(const jobs::JobFolder& folder,
                                                                    const std::string& wanted) const = 0;

  // Stage: makes the job's files available to its tasks.
  [[nodiscard]] virtual net::Async<> stage(const PlannedJob& job, StageHooks hooks) = 0;

  // Check: what needs no cluster, for a dry run. Errors: no_capacity, usage.
  [[nodiscard]] virtual core::Result<> check_here(const master::JobPlan& plan) const = 0;

  // Submit: hands the job over to the cluster; on this machine there is nobody to hand it to. After a request to stop
  // nothing is sent any more. Errors: the cluster's; cancelled.
  [[nodiscard]] virtual net::Async<> submit(const PlannedJob& job, const Say& say, std::stop_token stop) = 0;
  // What the cluster calls a job that it may have: its submission was sent, whether or not an answer came. Else empty.
  [[nodiscard]] virtual std::string maybe_submitted_as() const { return {}; }
  // Starts the job's master where that is a process of this machine. Returns its leash, if it is attached to us.
  [[nodiscard]] virtual net::Async<core::UniqueFd> start(const PlannedJob& job, master::Attachment attachment) = 0;

  // Ends what stage() and submit() began, for a job that does not run: calls under way are given up, a job that may
  // have been submitted is stopped, and of any other what stage() left outside the job's folder is removed.
  [[nodiscard]] virtual net::awaitable<void> abandon() = 0;
  // What stays of such a job after abandon(), as a clause for people; empty: nothing.
  [[nodiscard]] virtual std::string leftovers() const = 0;

  virtual void close() {}
};

// The target for a cluster that was chosen. Nothing is sent yet. Errors: what the configuration or the settings lack.
[[nodiscard]] core::Result<std::unique_ptr<LaunchTarget>> make_launch_target(net::asio::any_io_executor executor,
                                                                             const ClusterChoice& choice);

}  // namespace ydl::client

#pragma once

#include "backend/yarn/staging.hpp"
#include "backend/yarn/yarn_job.hpp"
#include "cli/cluster_client.hpp"
#include "cli/commands.hpp"
#include "master/job_folder.hpp"
#include "master/plan.hpp"

#include <functional>
#include <stop_token>
#include <string>

namespace ydl::cli {

// What is said while a job is brought to the cluster: one sentence each.
using Say = std::function<void(const std::string&)>;

// How the submission of a job speaks to the command that does it.
struct SubmitHooks {
  Say say;
  std::function<void(const backend::StagingProgress&)> show_progress;
  // Requested: the upload ends with `cancelled`, nothing is submitted.
  std::stop_token stop = {};
  // The upload is done and the job is about to be submitted: from here on a request to stop has no effect.
  std::function<void()> before_submission = {};
};

// What the job says about the cluster, with what the command line alone says.
[[nodiscard]] YarnOptions yarn_options(const spec::JobSpec& job, YarnOptions given);

// What a job needs of the cluster, checked against what it has. Returns what should be known before it is submitted.
// Errors: no_capacity, not_found, usage: role, what it asks for, what is allowed.
struct ClusterFacts {
  yarn::ApplicationId application;
  std::vector<yarn::NodeReport> nodes;
  std::string queue;
  std::string scheduler;
  std::vector<std::string> notes;
};
[[nodiscard]] net::Async<ClusterFacts> check_cluster(ClusterClient& cluster, const master::JobPlan& plan,
                                                     const YarnOptions& options);

// Brings the job's files and records to HDFS and hands it to the ResourceManager. The folder gets its yarn.json.
// What it leaves behind when it fails is nothing but cached files. Errors: HDFS's, the ResourceManager's; cancelled.
[[nodiscard]] net::Async<backend::YarnJob> submit_to_yarn(ClusterClient& cluster, const master::JobFolder& folder,
                                                          const master::JobPlan& plan, const YarnOptions& options,
                                                          ClusterFacts facts, SubmitHooks hooks);

// Where the job's results go on HDFS: --results, or in the job's folder. Errors: usage.
[[nodiscard]] core::Result<std::string> results_folder(const ClusterClient& cluster, const std::string& wanted,
                                                       const std::string& id);

}  // namespace ydl::cli

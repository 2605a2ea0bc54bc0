#pragma once

#include "backend/packing/python_env.hpp"
#include "backend/yarn/yarn_job.hpp"
#include "client/launch_target.hpp"
#include "client/yarn/cluster_client.hpp"
#include "client/yarn/job_file_systems.hpp"
#include "spec/settings.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// The steps of a launch that speak to a YARN cluster.
namespace ydl::client {

// What a job says about the cluster, with defaults, and what the client adds.
struct SubmissionOptions {
  std::string queue = "default";
  backend::MasterKind kind = backend::MasterKind::managed;
  yarn::Resource am_size{.memory_mib = 256, .vcores = 1};
  std::string am_label;
  std::optional<std::int32_t> priority;
  spec::Acl acl;
  spec::Settings settings;
  std::vector<JobFileSystem> file_systems;       // that the job uses
  std::string renewal_conf;                      // of their tokens, see renewal_conf.hpp
  std::optional<backend::PythonEnv> python_env;  // that is uploaded with the job
};
[[nodiscard]] SubmissionOptions submission_options(const spec::JobSpec& job);

// What a job needs of the cluster, checked against what it has.
// Errors: no_capacity, not_found, usage: role, what it asks for, what is allowed.
struct ClusterFacts {
  yarn::ApplicationId application;
  std::vector<yarn::NodeReport> nodes;
  std::string queue;
  std::string scheduler;
  std::vector<std::string> notes;  // what should be known before the job is submitted
};
[[nodiscard]] net::Async<ClusterFacts> check_cluster(ClusterClient& cluster, const master::JobPlan& plan,
                                                     const SubmissionOptions& options);

// The job as its master will find it in yarn.json, before its files are staged.
[[nodiscard]] backend::YarnJob make_yarn_job(const ClusterClient& cluster, const jobs::JobFile& file,
                                             const SubmissionOptions& options, ClusterFacts facts);

// Uploads the job's files, and its records into its folders here and on HDFS. Errors: HDFS's; cancelled.
[[nodiscard]] net::Async<> stage_files(ClusterClient& cluster, const PlannedJob& job, const SubmissionOptions& options,
                                       backend::YarnJob& yarn, LaunchTarget::StageHooks hooks);

// Hands the job over to the ResourceManager; `may_send` is asked right before the request is sent.
// Errors: the ResourceManager's, and why it refused; those of `may_send`.
[[nodiscard]] net::Async<> submit_application(ClusterClient& cluster, const PlannedJob& job,
                                              const SubmissionOptions& options, const backend::YarnJob& yarn,
                                              const Say& say, const std::function<core::Result<>()>& may_send);

}  // namespace ydl::client

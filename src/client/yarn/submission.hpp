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

// The steps of a launch that call a YARN cluster.
namespace ydl::client {

// The cluster options of a job with defaults, and what the client adds.
struct SubmissionOptions {
  std::string queue = "default";
  backend::MasterKind kind = backend::MasterKind::managed;
  yarn::Resource am_size{.memory_mib = 256, .vcores = 1};
  std::string am_label;
  std::optional<std::int32_t> priority;
  spec::Acl acl;
  spec::Settings settings;
  std::vector<JobFileSystem> file_systems;       // the file systems that the job uses
  std::string renewal_conf;                      // the configuration to renew their tokens, see renewal_conf.hpp
  std::optional<backend::PythonEnv> python_env;  // the environment that is uploaded with the job
};
[[nodiscard]] SubmissionOptions submission_options(const spec::JobSpec& job);

// Checks the requests of a job against the capacity and limits of the cluster.
// Errors: no_capacity, not_found, usage, with the role, its request and the limit.
struct ClusterFacts {
  yarn::ApplicationId application;
  std::vector<yarn::NodeReport> nodes;
  std::string queue;
  std::string scheduler;
  std::vector<std::string> notes;  // notes for the user before the submission
};
[[nodiscard]] net::Async<ClusterFacts> check_cluster(ClusterClient& cluster, const master::JobPlan& plan,
                                                     const SubmissionOptions& options);

// The content of yarn.json for the job's master, before the files are staged.
[[nodiscard]] backend::YarnJob make_yarn_job(const ClusterClient& cluster, const jobs::JobFile& file,
                                             const SubmissionOptions& options, ClusterFacts facts);

// Uploads the job's files, and writes its records to its folders here and in HDFS. Errors: those of HDFS; cancelled.
[[nodiscard]] net::Async<> stage_files(ClusterClient& cluster, const PlannedJob& job, const SubmissionOptions& options,
                                       backend::YarnJob& yarn, LaunchTarget::StageHooks hooks);

// Submits the job to the ResourceManager; calls `may_send` right before the request is sent.
// Errors: those of the ResourceManager, with the reason of a refusal; those of `may_send`.
[[nodiscard]] net::Async<> submit_application(ClusterClient& cluster, const PlannedJob& job,
                                              const SubmissionOptions& options, const backend::YarnJob& yarn,
                                              const Say& say, const std::function<core::Result<>()>& may_send);

}  // namespace ydl::client

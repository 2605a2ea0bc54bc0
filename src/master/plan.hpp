#pragma once

#include "core/cluster_kind.hpp"
#include "core/result.hpp"
#include "framework/framework.hpp"
#include "job/types.hpp"
#include "spec/job_spec.hpp"
#include "yarn/resource.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ydl::master {

// What the tasks of a role run and need, with all defaults filled in.
struct RoleLaunch {
  std::string name;
  int count = 1;
  int least = 1;  // the fewest tasks that the job runs with; `count` unless the role is elastic
  std::vector<std::string> argv;
  std::string interpreter_note;            // "python3 on PATH"; empty for a command without an added interpreter
  std::map<std::string, std::string> env;  // set by the user
  spec::Resources asked;                   // requested by the job itself
  std::uint64_t memory = 0;                // in bytes, with defaults
  int vcores = 1;
  int gpus = 0;
};

// A job that is ready to run: its spec, combined with its framework.
struct JobPlan {
  const framework::Framework* framework = nullptr;
  framework::Shape shape;
  std::vector<RoleLaunch> roles;
  job::Plan job;
  spec::JobSpec spec;
  std::vector<std::string> notes;  // corrections, for the user

  [[nodiscard]] const RoleLaunch& role(std::string_view name) const;
  [[nodiscard]] const job::RolePlan& job_role(std::string_view name) const;
  // The number of ports to hold for a task: those of the framework plus those of the job.
  [[nodiscard]] int ports(const core::TaskId& task) const;
};

// Finds a command on PATH; returns nothing if it is missing. It is an argument, so that plans can be tested.
using FindCommand = std::function<std::optional<std::string>(const std::string& name)>;
[[nodiscard]] std::string search_path();  // PATH, or the default of shells if it is not set
[[nodiscard]] std::optional<std::string> find_on_path(const std::string& name);
// For tasks on other hosts, whose PATH is unknown here: returns the name itself.
[[nodiscard]] std::optional<std::string> find_on_node(const std::string& name);

// The default retries of a role. Jobs on a cluster have retries by default, because hosts of a cluster fail.
[[nodiscard]] int default_retries(core::ClusterKind cluster);

// Errors: usage, if the framework refuses the job, a role has no command, or there is no decider or no Python.
[[nodiscard]] core::Result<JobPlan> make_plan(const spec::JobSpec& spec, const FindCommand& find_command = find_on_path,
                                              core::ClusterKind cluster = core::ClusterKind::local);

// The resources of a container for one task of a role, in YARN's units.
[[nodiscard]] yarn::Resource container_size(const RoleLaunch& role);

// The index of the Python script in a command, with or without a leading `python`.
[[nodiscard]] std::optional<std::size_t> script_in(const std::vector<std::string>& command);

// The default name of a job: "train_mnist" for "python train_mnist.py".
[[nodiscard]] std::string name_from_command(const std::vector<std::string>& command);

}  // namespace ydl::master

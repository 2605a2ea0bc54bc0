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

// What one role's tasks run and need, with every default filled in.
struct RoleLaunch {
  std::string name;
  int count = 1;
  int least = 1;  // what the job goes on with; as many as `count` unless the role is elastic
  std::vector<std::string> argv;
  std::string interpreter_note;            // "python3 on PATH", empty for a command that is run as it is
  std::map<std::string, std::string> env;  // the user's
  spec::Resources asked;                   // what the job says itself
  std::uint64_t memory = 0;                // with defaults, bytes
  int vcores = 1;
  int gpus = 0;
};

// A job ready to run: the spec married to its framework.
struct JobPlan {
  const framework::Framework* framework = nullptr;
  framework::Shape shape;
  std::vector<RoleLaunch> roles;
  job::Plan job;
  spec::JobSpec spec;
  std::vector<std::string> notes;  // what was corrected, for the user

  [[nodiscard]] const RoleLaunch& role(std::string_view name) const;
  [[nodiscard]] const job::RolePlan& job_role(std::string_view name) const;
  // Ports to hold for a task: the framework's and the job's own.
  [[nodiscard]] int ports(const core::TaskId& task) const;
};

// Finds a command on PATH; nothing when it is not there. An argument, so that plans are testable.
using FindCommand = std::function<std::optional<std::string>(const std::string& name)>;
[[nodiscard]] std::string search_path();  // PATH, or what shells use where there is none
[[nodiscard]] std::optional<std::string> find_on_path(const std::string& name);
// For tasks on other hosts, whose PATH nobody can look at from here: the name itself.
[[nodiscard]] std::optional<std::string> find_on_node(const std::string& name);

// The retries of a role where the job gives no number: hosts of a cluster fail, and nobody waits beside it.
[[nodiscard]] int default_retries(core::ClusterKind cluster);

// Errors (usage): what the framework refuses, a role without a command, no decider, no Python.
[[nodiscard]] core::Result<JobPlan> make_plan(const spec::JobSpec& spec, const FindCommand& find_command = find_on_path,
                                              core::ClusterKind cluster = core::ClusterKind::local);

// What a container for one task of a role must have, in YARN's units.
[[nodiscard]] yarn::Resource container_size(const RoleLaunch& role);

// Which word of a command is a Python script to run, with or without a leading `python`.
[[nodiscard]] std::optional<std::size_t> script_in(const std::vector<std::string>& command);

// "train_mnist" for "python train_mnist.py", for jobs without a name.
[[nodiscard]] std::string name_from_command(const std::vector<std::string>& command);

}  // namespace ydl::master

#pragma once

#include "core/result.hpp"
#include "spec/job_spec.hpp"

#include <optional>
#include <string>
#include <string_view>

// Parsers for the values of command-line options that describe a job. Every Error is Errc::usage and quotes the value.
namespace ydl::spec {

// "8", or "2:8": at most 8 tasks, and the job continues with at least 2.
struct TaskCount {
  int most = 1;
  std::optional<int> least = std::nullopt;

  bool operator==(const TaskCount&) const = default;
};

struct RoleCount {
  std::string role;
  int count = 1;
  std::optional<int> least = std::nullopt;

  bool operator==(const RoleCount&) const = default;
};

struct RoleResources {
  std::string role;
  Resources resources;

  bool operator==(const RoleResources&) const = default;
};

struct EnvVariable {
  std::string name;
  std::string value;

  bool operator==(const EnvVariable&) const = default;
};

[[nodiscard]] core::Result<TaskCount> parse_task_count(std::string_view text);

// "worker=2", "worker=2:8".
[[nodiscard]] core::Result<RoleCount> parse_role_count(std::string_view text);

// A single resource: "memory", "2g". The key is the one in job files.
[[nodiscard]] core::Result<Resources> parse_resource(std::string_view key, std::string_view value);

// "worker:memory=2g,vcores=2,gpus=1,label=gpu"; also hosts=a+b, racks=/r1+/r2, placement=spread|pack. At least one key,
// and each at most once.
[[nodiscard]] core::Result<RoleResources> parse_role_resources(std::string_view text);

// "KEY=VALUE". The value is everything after the first '=' and may be empty.
[[nodiscard]] core::Result<EnvVariable> parse_env_variable(std::string_view text);

// "SOURCE" or "SOURCE=NAME". The name follows the last '=', so a source that contains '=' needs a name.
[[nodiscard]] core::Result<FileRef> parse_file_ref(std::string_view text);

// The same for "hdfs://PATH".
[[nodiscard]] core::Result<FileRef> parse_input_ref(std::string_view text);

// Like parse_file_ref(), but also accepts "SOURCE#NAME", the notation of Hadoop's tools.
[[nodiscard]] core::Result<FileRef> parse_archive_ref(std::string_view text);

}  // namespace ydl::spec

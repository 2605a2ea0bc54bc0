#pragma once

#include "cli/args/image.hpp"
#include "core/result.hpp"
#include "spec/job_spec.hpp"

#include <string>
#include <vector>

namespace ydl::cli {

// What `ydl run` and `ydl submit` both say about a job; over what its file says.
struct ClusterOptions {
  ImageOptions image;
  std::string queue, am, priority, acl_view, acl_modify;
  std::vector<std::string> name_nodes;  // added to those of the file
};

// Errors: usage, each naming its option.
[[nodiscard]] core::Result<spec::JobSpec> with_cluster_options(spec::JobSpec job, const ClusterOptions& options);

// What of a job only a cluster understands, as its user wrote it.
enum class Spelling { as_options, in_a_file };
[[nodiscard]] std::vector<std::string> cluster_only(const spec::JobSpec& job, Spelling spelling);

}  // namespace ydl::cli

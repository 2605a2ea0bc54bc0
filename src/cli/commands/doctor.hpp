#pragma once

#include "hconf/config.hpp"
#include "net/asio.hpp"

#include <string>
#include <vector>

namespace ydl::cli {

enum class Verdict { good, limited, broken };

// What one check of `ydl doctor` found.
struct Finding {
  Verdict verdict = Verdict::good;
  std::string subject;
  std::string sentence;
};

// A Hadoop cluster, step by step; what stands on a step that is broken is left out.
[[nodiscard]] std::vector<Finding> examine_cluster(const hconf::Config& config);

// How long it takes until the loss of a host or of a job's master is noticed, by the configuration. Pure.
[[nodiscard]] std::vector<Finding> explain_times(const hconf::Config& config);

}  // namespace ydl::cli

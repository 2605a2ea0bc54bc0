#pragma once

#include "core/metrics.hpp"

#include <optional>
#include <string_view>

// Lines with which a task reports values: ::metric {"step":10,"loss":0.4}. Pure.
namespace ydl::files {

// An object of 1 to Metrics::kMost numbers; null is a value that is not a finite number, as JSON has none of those.
// "step" is a whole number and counts where the values were measured. Nothing for any other line.
[[nodiscard]] std::optional<core::Metrics> parse_metric(std::string_view line);

// Whether a line begins with the word "::metric", so that its writer expects it to be understood.
[[nodiscard]] bool is_metric_line(std::string_view line);

// Adds newer values. A name that would be one too many is left out.
void update(core::Metrics& metrics, core::Metrics newer);

}  // namespace ydl::files

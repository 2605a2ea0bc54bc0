#pragma once

#include "core/ids.hpp"
#include "core/result.hpp"
#include "spec/job_spec.hpp"
#include "ui/display.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace ydl::client {

// Whose lines a follower shows, as --show-logs names them: none, first, all, or a role. "first" is the first task of
// those whose success decides about the job.
class ShownTasks {
 public:
  // `wanted` may be empty: on a terminal that is "first", elsewhere "all". A job of one task shows its bytes as they
  // are on a terminal. The roles of `job` have their counts, as in a job's folder. Errors: usage.
  [[nodiscard]] static core::Result<ShownTasks> of(std::string_view wanted, const spec::JobSpec& job, ui::Mode mode);

  [[nodiscard]] bool any() const { return kind_ != Kind::none; }
  [[nodiscard]] bool has(const core::TaskId& task) const;
  // The task, where it is only one: "worker:0"; else empty.
  [[nodiscard]] std::string only() const { return kind_ == Kind::task ? task_.str() : ""; }
  // The task whose bytes go to the terminal as they are.
  [[nodiscard]] std::optional<core::TaskId> unchanged() const {
    return is_unchanged_ ? std::optional(task_) : std::nullopt;
  }

 private:
  enum class Kind { none, task, role, all };

  Kind kind_ = Kind::none;
  core::TaskId task_ = {};
  std::string role_;
  bool is_unchanged_ = false;
};

}  // namespace ydl::client

#pragma once

#include "core/clock.hpp"

#include <filesystem>
#include <optional>

// How long the jobs of this machine are kept.
namespace ydl::client {

// A launch does not wait longer for the deletion of old jobs, nor delete more of them at once.
struct TidyLimits {
  core::Millis time{200};
  int jobs = 50;
};

// Deletes the folders of jobs that ended at least `keep` ago, and what an interrupted deletion left; with no `keep`
// only the latter. Never deletes a job that runs, or whose checkpoints a running job uses. What is left when a limit is
// reached stays for the next launch. Returns the number of jobs that are not shown any more.
int remove_old_jobs_here(const std::filesystem::path& jobs, std::optional<core::Millis> keep, TidyLimits limits = {});

}  // namespace ydl::client

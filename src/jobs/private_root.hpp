#pragma once

#include "core/result.hpp"
#include "core/user.hpp"

#include <filesystem>

namespace ydl::jobs {

// jobs_root() for whoever creates jobs: it and the folder of ydl around it exist, belong to us and let nobody else in.
// Errors: those of jobs_root() and core::make_private_directory().
[[nodiscard]] core::Result<std::filesystem::path> make_jobs_root(const core::Getenv& getenv = core::process_getenv);

}  // namespace ydl::jobs

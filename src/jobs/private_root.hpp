#pragma once

#include "core/result.hpp"
#include "core/user.hpp"

#include <filesystem>

namespace ydl::jobs {

// jobs_root() for programs that create jobs. It and the folder of ydl that contains it exist afterwards, belong to this
// user, and are not accessible to other users.
// Errors: those of jobs_root() and core::make_private_directory().
[[nodiscard]] core::Result<std::filesystem::path> make_jobs_root(const core::Getenv& getenv = core::process_getenv);

}  // namespace ydl::jobs

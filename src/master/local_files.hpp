#pragma once

#include "backend/local/local.hpp"
#include "jobs/job_folder.hpp"

namespace ydl::master {

// The paths of a job that runs on the machine of its folder. Pure.
[[nodiscard]] backend::LocalFiles local_files(const jobs::JobFolder& folder, const jobs::JobFile& job);

}  // namespace ydl::master

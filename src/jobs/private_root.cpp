#include "jobs/private_root.hpp"

#include "core/private_directory.hpp"
#include "jobs/job_folder.hpp"

namespace ydl::jobs {

core::Result<std::filesystem::path> make_jobs_root(const core::Getenv& getenv) {
  auto root = jobs_root(getenv);
  if (!root) return root;
  for (const auto& folder : {root->parent_path(), *root}) {
    if (auto made = core::make_private_directory(folder); !made) return core::fail(made.error());
  }
  return root;
}

}  // namespace ydl::jobs

#include "client/restore_source.hpp"

#include "backend/yarn/yarn_job.hpp"
#include "client/yarn/remote_job.hpp"
#include "core/files.hpp"

#include <fmt/format.h>

namespace ydl::client {
namespace {

using core::fail;

core::Error wrong(const core::Error& error) {
  return {error.code == core::Errc::not_found ? make_error_code(core::Errc::usage) : error.code,
          fmt::format("--restore-from: {}", error.message)};
}

core::Error elsewhere(const std::string& job, std::string_view where) {
  return {core::Errc::usage,
          fmt::format("--restore-from: {} ran {}, where the tasks of this job cannot read its checkpoints; fetch them "
                      "with `ydl results get {}` and add them with --file",
                      job, where, job)};
}

}  // namespace

core::Result<jobs::RestoreFolders> restore_from_here(const std::string& job) {
  const auto root = jobs::jobs_root();
  if (!root) return fail(root.error());
  const auto folder = jobs::find_job_folder(*root, job);
  if (!folder) return fail(wrong(folder.error()));
  const auto file = jobs::read_job_file(*folder);
  if (!file) return fail(wrong(file.error()));
  if (file->cluster != core::ClusterKind::local) return fail(elsewhere(file->id.str(), "on a cluster"));
  return jobs::RestoreFolders{"", file->results.string()};
}

net::Async<jobs::RestoreFolders> restore_from_cluster(ClusterClient& cluster, std::string job) {
  const auto root = jobs::jobs_root();
  if (!root) co_return fail(root.error());
  auto folder = jobs::find_job_folder(*root, job);
  if (!folder && folder.error().code == core::Errc::not_found) {
    auto adopted = co_await RemoteJob::adopt(cluster, *root, job);
    if (adopted || adopted.error().code != core::Errc::not_found) folder = std::move(adopted);
  }
  if (!folder) co_return fail(wrong(folder.error()));
  const auto file = jobs::read_job_file(*folder);
  if (!file) co_return fail(wrong(file.error()));
  if (file->cluster != core::ClusterKind::yarn) co_return fail(elsewhere(file->id.str(), "on this machine"));
  const auto text = core::read_file(folder->yarn_file());
  const auto yarn = text ? backend::yarn_job_from_json(*text) : fail(text.error());
  if (!yarn) co_return fail(wrong(yarn.error()));
  if (!yarn->folder_url.starts_with(cluster.url_prefix + "/"))
    co_return fail(elsewhere(file->id.str(), fmt::format("on another cluster ({})", yarn->folder_url)));
  co_return jobs::RestoreFolders{yarn->folder + "/saves", yarn->results};
}

}  // namespace ydl::client

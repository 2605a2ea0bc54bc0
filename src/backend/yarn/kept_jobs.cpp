#include "backend/yarn/kept_jobs.hpp"

#include "backend/yarn/remote_files.hpp"
#include "backend/yarn/staged_list.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace ydl::backend {
namespace {

// A job without a known application may still be uploading. After this time it cannot.
constexpr core::Millis kLongestSubmission = std::chrono::hours(24);

// The application in the list of a job's files; empty if the folder has no list.
net::Async<std::string> application_of(hdfs::FileSystem& fs, std::string folder) {
  const auto path = fmt::format("{}/{}", folder, kStagedListName);
  const auto status = co_await fs.stat(path);
  if (!status) co_return core::fail(status.error());
  if (!*status) co_return std::string();
  const auto text = co_await read_remote_file(fs, path);
  if (!text) co_return core::fail(text.error());
  auto list = staged_list_from_json(*text);
  if (!list) co_return core::fail(list.error().within(path));
  co_return std::move(list->application);
}

}  // namespace

net::Async<std::vector<KeptJob>> list_old_jobs(hdfs::FileSystem& fs, std::string root, KeepRule rule) {
  const auto folder = root + "/jobs";
  const auto entries = co_await list_or_nothing(fs, folder);
  if (!entries) co_return core::fail(entries.error());
  std::vector<KeptJob> jobs;
  for (const auto& entry : *entries) {
    if (!entry.is_directory() || entry.modified > rule.now - rule.keep) continue;
    auto application = co_await application_of(fs, fmt::format("{}/{}", folder, entry.name));
    if (!application) co_return core::fail(application.error());
    jobs.push_back({entry.name, *std::move(application), entry.modified});
  }
  co_return jobs;
}

std::vector<KeptJob> outlived(const std::vector<KeptJob>& jobs, const Applications& applications,
                              const KeepRule& rule) {
  std::vector<KeptJob> gone;
  std::ranges::copy_if(jobs, std::back_inserter(gone), [&](const KeptJob& job) {
    if (applications.running.contains(job.application) || job.touched > rule.now - rule.keep) return false;
    return applications.over.contains(job.application) || job.touched <= rule.now - kLongestSubmission;
  });
  return gone;
}

}  // namespace ydl::backend

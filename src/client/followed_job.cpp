#include "client/followed_job.hpp"

#include "client/yarn/master_loss.hpp"
#include "core/files.hpp"
#include "core/utf8.hpp"

#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace ydl::client {

FollowedJob::FollowedJob(const net::asio::any_io_executor& executor, jobs::JobFolder job_folder,
                         std::optional<RemoteJob> remote_job, ui::Mode mode, ui::Detail detail)
    : folder(std::move(job_folder)),
      remote(std::move(remote_job)),
      screen(mode, detail),
      master(executor, folder, is_managed() ? &*remote : nullptr) {}

ui::JobView FollowedJob::with_paths(ui::JobView job_view) const {
  if (job_view.logs_path.empty()) job_view.logs_path = folder.logs().string();
  if (remote) job_view.queue = remote->job().queue;
  return job_view;
}

void FollowedJob::give_up(const core::Error& error) {
  const auto id = folder.id().str();
  screen.close();
  (void)core::write_all(STDERR_FILENO,
                        fmt::format("ydl: {0} cannot be followed any longer: {1}; the job may go on, and `ydl status "
                                    "{0}` shows it{2}\n",
                                    id, core::escaped_lines(error.message),
                                    is_refusal(error) ? " when you have logged in again (kinit)" : ""));
  is_left = true;
}

}  // namespace ydl::client

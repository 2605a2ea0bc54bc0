#pragma once

#include "client/attached_master.hpp"
#include "client/follow_screen.hpp"
#include "client/yarn/remote_job.hpp"
#include "core/error.hpp"
#include "jobs/job_folder.hpp"
#include "net/asio.hpp"
#include "ui/model.hpp"

#include <optional>

namespace ydl::client {

// What the parts of a follower share: the job, its master, the screen that shows it, and what is known of its end.
struct FollowedJob {
  FollowedJob(const net::asio::any_io_executor& executor, jobs::JobFolder job_folder,
              std::optional<RemoteJob> remote_job, ui::Mode mode, ui::Detail detail);
  FollowedJob(const FollowedJob&) = delete;  // the master refers to the remote job
  FollowedJob& operator=(const FollowedJob&) = delete;

  // A job on a cluster whose master is in a container there: its records are there too.
  [[nodiscard]] bool is_managed() const { return remote && remote->job().kind == backend::MasterKind::managed; }
  // The view, with what only the client can add.
  [[nodiscard]] ui::JobView with_paths(ui::JobView job_view) const;
  // The job can be reached no longer: this command ends, and the job may go on.
  void give_up(const core::Error& error);

  jobs::JobFolder folder;
  std::optional<RemoteJob> remote;  // of a job on a cluster
  FollowScreen screen;
  AttachedMaster master;
  std::optional<ui::JobView> view;   // as the master last sent it
  std::optional<ui::EventView> end;  // the event that told the job's end
  bool is_left = false;              // this command ends before the job
  int exit_code = 1;                 // unless the end of the job, or leaving it, sets another
};

}  // namespace ydl::client

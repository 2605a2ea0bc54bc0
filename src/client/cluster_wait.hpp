#pragma once

#include "client/followed_job.hpp"
#include "core/clock.hpp"
#include "yarn/records.hpp"

namespace ydl::client {

// The waits of a follower for the cluster, which its master is part of: until the job's master answers, and until the
// application is over. The ResourceManager's reports are shown meanwhile.
class ClusterWait {
 public:
  // `job`: outlives this.
  explicit ClusterWait(FollowedJob& job);

  // Until the job's master answers, or the cluster has ended the job.
  [[nodiscard]] net::awaitable<void> wait_for_master();
  // After the job's last event: until the ResourceManager reports that the application is over.
  [[nodiscard]] net::awaitable<void> wait_for_end();
  // Beside the other two: shows that the ResourceManager does not answer. It is asked again, for a quarter of an hour
  // by Hadoop's defaults.
  [[nodiscard]] net::awaitable<void> watch_silence();

 private:
  void show_waiting(const yarn::AppReport& report);

  FollowedJob& job_;
  core::WallTime submitted_ = core::wall_now();
  core::Instant heard_ = {};  // when the ResourceManager last answered
  bool has_told_url_ = false;
};

}  // namespace ydl::client

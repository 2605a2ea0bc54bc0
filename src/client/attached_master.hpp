#pragma once

#include "client/job_client.hpp"
#include "client/master_contact.hpp"
#include "client/yarn/remote_job.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ydl::client {

// The master that a follower asks: where it is, and what is done when it does not answer. A master on a cluster may be
// lost and started again elsewhere; then the next one is found by the job's master.json on HDFS. MasterContact decides.
class AttachedMaster {
 public:
  // `remote`: of a job whose master runs on a cluster; null: it runs on this machine. Outlives this.
  AttachedMaster(net::asio::any_io_executor executor, jobs::JobFolder folder, RemoteJob* remote);

  // `attempt`: of the application, on a cluster.
  void attach(net::Endpoint endpoint, std::int32_t attempt = 0);
  [[nodiscard]] bool is_attached() const { return endpoint_.has_value(); }
  // A new connection: the master may have a new address since the last one failed.
  [[nodiscard]] std::unique_ptr<JobClient> connect() const;

  // An answer came. Returns what the user should be told.
  [[nodiscard]] std::optional<std::string> answered();
  // Whether the last answer came from another master than the ones before; asked once for each.
  [[nodiscard]] bool take_change() { return std::exchange(has_changed_, false); }
  // What the user should be told by now.
  [[nodiscard]] std::optional<std::string> notice() { return contact_.notice(core::steady_now()); }

  // A call failed: returns when there is a master to ask, true, or when the job is over, false. Errors: asking again is
  // of no use.
  [[nodiscard]] net::Async<bool> find(core::Error why);

 private:
  // `asked`: where the call that failed went to.
  [[nodiscard]] net::awaitable<MasterEvidence> look(net::Endpoint asked);

  net::asio::any_io_executor executor_;
  jobs::JobFolder folder_;
  RemoteJob* remote_;
  MasterContact contact_;
  std::optional<net::Endpoint> endpoint_;
  std::optional<net::Endpoint> answered_;  // the endpoint of the last answer
  std::int32_t attempt_ = 0;               // of the application, when a master last answered
  std::int32_t seen_ = 0;                  // of the application, by its last report
  std::optional<core::Error> refusal_;     // of the ResourceManager, when it was last asked
  bool has_changed_ = false;
};

}  // namespace ydl::client

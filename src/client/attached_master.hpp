#pragma once

#include "client/job_client.hpp"
#include "client/master_contact.hpp"
#include "client/yarn/remote_job.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ydl::client {

// The connection of a follower to the master. A master on a cluster may be lost and restarted elsewhere; the new one is
// found in the job's master.json on HDFS. MasterContact decides what to do if there is no answer.
class AttachedMaster {
 public:
  // `remote`: the job, if its master runs on a cluster; null if it runs on this machine. Must outlive this object.
  AttachedMaster(net::asio::any_io_executor executor, jobs::JobFolder folder, RemoteJob* remote);

  // `attempt`: that of the application, on a cluster.
  void attach(net::Endpoint endpoint, std::int32_t attempt = 0);
  [[nodiscard]] bool is_attached() const { return endpoint_.has_value(); }
  // A new connection, because the master may have a new address since the last failure.
  [[nodiscard]] std::unique_ptr<JobClient> connect() const;

  // An answer arrived. Returns a message for the user, if any.
  [[nodiscard]] std::optional<std::string> answered();
  // Whether the last answer came from a new master. True once for each master.
  [[nodiscard]] bool take_change() { return std::exchange(has_changed_, false); }
  // The current message for the user, if any.
  [[nodiscard]] std::optional<std::string> notice() { return contact_.notice(core::steady_now()); }

  // A call failed: returns true when there is a master to call, or false when the job has ended. Errors: a retry would
  // not help.
  [[nodiscard]] net::Async<bool> find(core::Error why);

 private:
  // `asked`: the address of the failed call.
  [[nodiscard]] net::awaitable<MasterEvidence> look(net::Endpoint asked);

  net::asio::any_io_executor executor_;
  jobs::JobFolder folder_;
  RemoteJob* remote_;
  MasterContact contact_;
  std::optional<net::Endpoint> endpoint_;
  std::optional<net::Endpoint> answered_;  // the endpoint of the last answer
  std::int32_t attempt_ = 0;               // of the application at the last answer of a master
  std::int32_t seen_ = 0;                  // of the application in its last report
  std::optional<core::Error> refusal_;     // the last refusal of the ResourceManager
  bool has_changed_ = false;
};

}  // namespace ydl::client

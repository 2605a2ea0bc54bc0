#pragma once

#include "client/master_contact.hpp"
#include "client/yarn/foreign_job.hpp"
#include "net/asio.hpp"

#include <functional>
#include <string>

namespace ydl::client {

// The connection to the master of another user's job, for a command that follows the job. If the master is lost, the
// command waits as for the user's own job (MasterContact decides) and finds the new one in the ResourceManager's
// report.
class ForeignMaster {
 public:
  using Report = std::function<net::Async<yarn::AppReport>()>;
  // `job` must have a master. `user` is the current user, `report` gets the application's report, `tell` shows a
  // sentence.
  ForeignMaster(ForeignJob job, std::string user, Report report, std::function<void(const std::string&)> tell);

  [[nodiscard]] const net::Endpoint& endpoint() const { return *job_.master; }
  // An answer arrived.
  void answered();
  // A call failed: returns true when there is a master to call, or false when the job has ended. Errors: a retry would
  // not help.
  [[nodiscard]] net::Async<bool> find(core::Error why);

 private:
  [[nodiscard]] net::awaitable<MasterEvidence> look();

  ForeignJob job_;
  std::string user_;
  Report report_;
  std::function<void(const std::string&)> tell_;
  MasterContact contact_;
  std::int32_t attempt_;  // of the application at the last answer of its master
  std::int32_t seen_;     // of the application in its last report
};

}  // namespace ydl::client

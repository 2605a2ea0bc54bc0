#pragma once

#include "client/master_contact.hpp"
#include "client/yarn/foreign_job.hpp"
#include "net/asio.hpp"

#include <functional>
#include <string>

namespace ydl::client {

// The master of somebody else's job for a command that follows the job: one that is lost is waited for like the master
// of a job of one's own (MasterContact decides), and the next one is found by the ResourceManager's report.
class ForeignMaster {
 public:
  using Report = std::function<net::Async<yarn::AppReport>()>;
  // `job` has a master. `user` asks, `report` gets the application's report, `tell` shows a sentence.
  ForeignMaster(ForeignJob job, std::string user, Report report, std::function<void(const std::string&)> tell);

  [[nodiscard]] const net::Endpoint& endpoint() const { return *job_.master; }
  // An answer came.
  void answered();
  // A call failed: returns when there is a master to ask, true, or when the job is over, false. Errors: asking again is
  // of no use.
  [[nodiscard]] net::Async<bool> find(core::Error why);

 private:
  [[nodiscard]] net::awaitable<MasterEvidence> look();

  ForeignJob job_;
  std::string user_;
  Report report_;
  std::function<void(const std::string&)> tell_;
  MasterContact contact_;
  std::int32_t attempt_;  // of the application, when its master last answered
  std::int32_t seen_;     // by its last report
};

}  // namespace ydl::client

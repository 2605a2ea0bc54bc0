#include "client/yarn/foreign_master.hpp"

#include "client/yarn/master_loss.hpp"

#include <utility>

namespace ydl::client {

ForeignMaster::ForeignMaster(ForeignJob job, std::string user, Report report,
                             std::function<void(const std::string&)> tell)
    : job_(std::move(job)),
      user_(std::move(user)),
      report_(std::move(report)),
      tell_(std::move(tell)),
      contact_(MasterContact::Witness::resource_manager, core::steady_now()),
      attempt_(job_.report.attempt.attempt),
      seen_(attempt_) {}

void ForeignMaster::answered() {
  attempt_ = seen_;
  if (const auto news = contact_.answered(core::steady_now())) tell_(*news);
}

net::Async<bool> ForeignMaster::find(core::Error why) {
  using Kind = MasterContact::Next::Kind;
  for (;;) {
    const auto next = contact_.failed(co_await look(), why);
    if (next.kind == Kind::over) co_return false;
    if (next.kind == Kind::give_up) co_return core::fail(why);
    if (const auto notice = contact_.notice(core::steady_now())) tell_(*notice);
    co_await net::pause(next.pause);
    if (next.kind == Kind::ask_again) co_return true;
  }
}

net::awaitable<MasterEvidence> ForeignMaster::look() {
  const auto report = co_await report_();
  if (!report) co_return is_refusal(report.error()) ? MasterEvidence::refused : MasterEvidence::unknown;
  seen_ = report->attempt.attempt;
  auto found = foreign_job(*report, user_);
  const bool is_another = found && found->master && *found->master != *job_.master;
  if (is_another) job_ = *std::move(found);
  co_return evidence_of(*report, attempt_, is_another ? KnownAddress::another : KnownAddress::same);
}

}  // namespace ydl::client

#include "client/attached_master.hpp"

#include "client/yarn/master_loss.hpp"

namespace ydl::client {

AttachedMaster::AttachedMaster(net::asio::any_io_executor executor, jobs::JobFolder folder, RemoteJob* remote)
    : executor_(std::move(executor)),
      folder_(std::move(folder)),
      remote_(remote),
      contact_(remote != nullptr ? MasterContact::Witness::resource_manager : MasterContact::Witness::process,
               core::steady_now()) {}

void AttachedMaster::attach(net::Endpoint endpoint, std::int32_t attempt) {
  endpoint_ = std::move(endpoint);
  attempt_ = attempt;
  seen_ = attempt;
}

std::unique_ptr<JobClient> AttachedMaster::connect() const {
  return std::make_unique<JobClient>(executor_, *endpoint_);
}

std::optional<std::string> AttachedMaster::answered() {
  if (answered_ && *answered_ != *endpoint_) has_changed_ = true;
  answered_ = endpoint_;
  attempt_ = seen_;
  return contact_.answered(core::steady_now());
}

net::Async<bool> AttachedMaster::find(core::Error why) {
  using Kind = MasterContact::Next::Kind;
  const auto asked = *endpoint_;
  for (;;) {
    const auto next = contact_.failed(co_await look(asked), why);
    if (next.kind == Kind::over) co_return false;
    if (next.kind == Kind::give_up) co_return core::fail(refusal_ ? *refusal_ : why);
    co_await net::pause(next.pause);
    if (next.kind == Kind::ask_again) co_return true;
  }
}

net::awaitable<MasterEvidence> AttachedMaster::look(net::Endpoint asked) {
  refusal_.reset();
  if (remote_ == nullptr) co_return jobs::master_lives(folder_) ? MasterEvidence::running : MasterEvidence::over;
  const auto report = co_await remote_->report();
  if (!report && is_refusal(report.error())) refusal_ = report.error();
  if (!report) co_return refusal_ ? MasterEvidence::refused : MasterEvidence::unknown;
  seen_ = report->attempt.attempt;
  if (yarn::is_over(report->state)) co_return MasterEvidence::over;
  auto found = co_await remote_->endpoint();
  // A master that was slow to start may write its address after its successor did.
  if (found && *found && (*found)->epoch >= endpoint_->epoch) endpoint_ = **std::move(found);
  co_return evidence_of(*report, attempt_, *endpoint_ == asked ? KnownAddress::same : KnownAddress::another);
}

}  // namespace ydl::client

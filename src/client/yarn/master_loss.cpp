#include "client/yarn/master_loss.hpp"

#include "hrpc/errors.hpp"

namespace ydl::client {
namespace {

constexpr core::Millis kMasterAnswers = core::Seconds(30);

}  // namespace

bool is_refusal(const core::Error& error) {
  return error.code == hrpc::Errc::unauthenticated || error.code == hrpc::Errc::invalid_token;
}

bool is_between_masters(const yarn::AppReport& report) {
  return !yarn::is_over(report.state) && report.state != yarn::AppState::running && report.attempt.attempt > 1;
}

MasterEvidence evidence_of(const yarn::AppReport& report, std::int32_t attempt, KnownAddress address) {
  if (yarn::is_over(report.state)) return MasterEvidence::over;
  if (address == KnownAddress::another) return MasterEvidence::replaced;
  if (report.state != yarn::AppState::running) return MasterEvidence::gone;
  // The new master has registered; master.json contains its address or will contain it soon.
  return report.attempt.attempt > attempt ? MasterEvidence::replaced : MasterEvidence::running;
}

std::optional<std::string> MasterWatch::saw(const yarn::AppReport& report) {
  if (!is_between_masters(report) || report.attempt.attempt <= told_) return std::nullopt;
  told_ = report.attempt.attempt;
  return std::string(kMasterGone);
}

RepeatedStop::Next RepeatedStop::saw(const yarn::AppReport& report, core::Instant now) {
  const auto attempt = report.attempt.attempt;
  if (asked_ == 0) asked_ = attempt;
  if (attempt <= asked_ || report.state != yarn::AppState::running) return Next::wait;
  if (attempt > seen_) {
    seen_ = attempt;
    registered_ = now;
  }
  return now - registered_ < kMasterAnswers ? Next::ask : Next::give_up;
}

void RepeatedStop::taken() {
  asked_ = seen_;
}

}  // namespace ydl::client

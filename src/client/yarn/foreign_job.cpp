#include "client/yarn/foreign_job.hpp"

#include "client/yarn/remote_job.hpp"
#include "core/strings.hpp"
#include "yarn/client_token.hpp"
#include "yarn/diagnostics.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::client {
namespace {

constexpr std::string_view kFingerprint = "ydl:sha256:";
constexpr std::size_t kFingerprintDigits = 64;

// Why the master of a running job cannot be called.
std::string why_no_master(const ForeignJob& job, const std::string& user) {
  const auto& owner = job.report.user;
  if (job.report.state != yarn::AppState::running) {
    return fmt::format("its master does not run yet; once it does, users whom {} permits to view the job can call it",
                       owner);
  }
  if (!job.report.client_token) {
    return fmt::format(
        "the ResourceManager gives {} no token for its master: either 'view' of the job's ACL does not allow {}, which "
        "only {} can change (--acl-view), or the cluster has no Kerberos",
        user, user, owner);
  }
  return fmt::format(
      "its master does not publish its certificate for other users; {} can run it with a newer version of ydl", owner);
}

std::string where_the_rest_is(const ForeignJob& job) {
  const auto& owner = job.report.user;
  return fmt::format(
      "its events, logs and results are in .ydl/jobs/{} of {}'s home folder on HDFS, which only {} can read: {} can "
      "copy them for you (ydl logs, ydl events, ydl results)",
      job.id, owner, owner, owner);
}

}  // namespace

std::string fingerprint_tag(std::string_view fingerprint) {
  return fmt::format("{}{}", kFingerprint, fingerprint);
}

std::optional<std::string> fingerprint_of(const std::vector<std::string>& tags) {
  const auto found = std::ranges::find_if(tags, [](std::string_view tag) { return tag.starts_with(kFingerprint); });
  if (found == tags.end()) return std::nullopt;
  auto fingerprint = found->substr(kFingerprint.size());
  if (fingerprint.size() != kFingerprintDigits ||
      fingerprint.find_first_not_of("0123456789abcdef") != std::string::npos)
    return std::nullopt;
  return fingerprint;
}

core::JobState state_of(const yarn::AppReport& report) {
  using enum core::JobState;
  if (report.state == yarn::AppState::running) return running;
  if (!yarn::is_over(report.state)) return placing;
  if (report.state == yarn::AppState::killed || report.final_status == yarn::FinalStatus::killed) return stopped;
  return report.final_status == yarn::FinalStatus::succeeded ? succeeded : failed;
}

std::optional<ForeignJob> foreign_job(yarn::AppReport report, const std::string& user) {
  auto id = job_id_of(report.tags);
  if (!id || report.user == user) return std::nullopt;
  ForeignJob job{.id = *std::move(id), .report = std::move(report), .rest = {}};
  if (yarn::is_over(job.report.state)) {
    job.rest = where_the_rest_is(job);
    return job;
  }
  const auto& seen = job.report;
  const auto fingerprint = fingerprint_of(seen.tags);
  const bool has_address = !seen.host.empty() && seen.port > 0 && seen.port <= 0xffff;
  if (seen.state == yarn::AppState::running && seen.client_token && fingerprint && has_address) {
    job.master = net::Endpoint{.address = seen.host,
                               .port = static_cast<std::uint16_t>(seen.port),
                               .secret = yarn::bearer_of(*seen.client_token),
                               .fingerprint = *fingerprint};
  } else {
    job.rest = why_no_master(job, user);
  }
  return job;
}

ui::JobView view_of(const ForeignJob& job) {
  const auto& report = job.report;
  ui::JobView view;
  view.id = job.id;
  view.name = report.name;
  view.where = "YARN";
  view.state = state_of(report);
  view.submitted = report.started;
  if (yarn::is_over(report.state)) {
    view.finished = report.finished;
    view.exit_code = view.state == core::JobState::succeeded ? 0 : view.state == core::JobState::stopped ? 130 : 1;
    view.reason = yarn::describe_end_of_application(report.diagnostics);
  }
  return view;
}

}  // namespace ydl::client

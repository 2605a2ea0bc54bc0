#include "core/strings.hpp"
#include "hrpc/errors.hpp"
#include "yarn/client_rm.hpp"
#include "yarn/convert.hpp"
#include "yarn/explain.hpp"
#include "yarn/proto/client_service.pb.h"
#include "yarn/stub.hpp"

#include <fmt/format.h>

namespace ydl::yarn {

namespace pb = hadoop::yarn;

namespace {

constexpr auto kGetNewApplication = client_method("getNewApplication");  // safe to repeat: an unused id has no effect
constexpr auto kSubmitApplication = client_method("submitApplication");  // safe to repeat: a known id counts as success
constexpr auto kGetApplicationReport = client_method("getApplicationReport");
constexpr auto kGetApplications = client_method("getApplications");
constexpr auto kForceKillApplication = client_method("forceKillApplication");
constexpr auto kUpdatePriority = client_method("updateApplicationPriority");

constexpr core::Millis kPoll{100};

// The ResourceManager accepted the application, but a later request for its state failed. This error must not look as
// if the application was refused.
core::Error unconfirmed(std::string_view doing, const core::Error& error) {
  return {hrpc::Errc::connection_lost,
          fmt::format("{}: the ResourceManager accepted it but did not confirm it: {}", doing, error.message)};
}

bool is_stored(AppState state) {
  return state != AppState::starting && state != AppState::submitted;
}

}  // namespace

net::Async<ClientRm::NewApplication> ClientRm::new_application() {
  const auto answer =
      co_await rpc_.call<pb::GetNewApplicationResponseProto>(kGetNewApplication, pb::GetNewApplicationRequestProto());
  if (!answer) co_return core::fail(explain(answer.error(), "requesting an application id from the ResourceManager"));
  const auto id = from_proto(answer->application_id());
  if (id.id <= 0 || id.cluster_timestamp <= 0)
    co_return core::fail(hrpc::Errc::corrupt,
                         fmt::format("the ResourceManager returned {}, which is not the id of a new "
                                     "application",
                                     id.str()));
  co_return NewApplication{id, from_proto(answer->maximumcapability())};
}

net::Async<AppReport> ClientRm::submit(Submission submission, core::Millis at_most) {
  const auto deadline = core::steady_now() + at_most;
  const auto doing = fmt::format("submitting {} to queue {}", submission.id.str(), submission.queue);
  auto context = submission_context(submission);
  if (!context) co_return core::fail(std::move(context).error().within(doing));
  pb::SubmitApplicationRequestProto request;
  *request.mutable_application_submission_context() = *std::move(context);
  bool is_accepted = false;
  for (bool known = false; core::steady_now() < deadline; co_await net::pause(kPoll)) {
    if (!known) {
      const auto answer = co_await rpc_.call<pb::SubmitApplicationResponseProto>(kSubmitApplication, request,
                                                                                 deadline - core::steady_now());
      if (!answer && is_accepted) co_return core::fail(unconfirmed(doing, answer.error()));
      if (!answer) co_return core::fail(explain(answer.error(), doing));
      is_accepted = true;
    }
    auto now = co_await report(submission.id);
    if (now && is_stored(now->state)) co_return now;
    if (!now && now.error().code != hrpc::Errc::not_found) co_return core::fail(unconfirmed(doing, now.error()));
    known = now.has_value();  // false after a failover before the application was stored
  }
  co_return core::fail(hrpc::Errc::timed_out, fmt::format("{}: the ResourceManager did not store it within {}", doing,
                                                          core::format_duration(at_most)));
}

bool may_be_submitted(const core::Error& error) {
  // An exception of the server means that it has handled and refused the request.
  if (error.remote) return false;
  return error.code == hrpc::Errc::unreachable || error.code == hrpc::Errc::timed_out ||
         error.code == hrpc::Errc::connection_lost || error.code == hrpc::Errc::corrupt;
}

net::Async<AppReport> ClientRm::report(ApplicationId id) {
  pb::GetApplicationReportRequestProto request;
  *request.mutable_application_id() = to_proto(id);
  const auto answer = co_await rpc_.call<pb::GetApplicationReportResponseProto>(kGetApplicationReport, request);
  if (!answer) co_return core::fail(explain(answer.error(), "requesting the state of " + id.str()));
  co_return from_proto(answer->application_report());
}

// The ResourceManager returns the token only if the caller's full name equals the application's user. With Kerberos the
// full name is a principal and the user a short name, so no caller gets the token there.
net::Async<hrpc::Token> ClientRm::unmanaged_token(ApplicationId id, core::Millis at_most) {
  const auto deadline = core::steady_now() + at_most;
  std::string diagnostics;
  for (; core::steady_now() < deadline; co_await net::pause(kPoll)) {
    auto now = co_await report(id);
    if (!now) co_return core::fail(std::move(now).error());
    if (now->am_rm_token) co_return *std::move(now->am_rm_token);
    diagnostics = core::printable(now->diagnostics);
    if (is_over(now->state)) {
      co_return core::fail(core::Errc::refused,
                           fmt::format("{} ended before it was running: {}", id.str(), diagnostics));
    }
  }
  co_return core::fail(hrpc::Errc::timed_out,
                       fmt::format("the ResourceManager did not return the token of {} within {}; with Kerberos it "
                                   "never does, so only a managed master can run (diagnostics: {})",
                                   id.str(), core::format_duration(at_most), diagnostics));
}

net::Async<std::vector<AppReport>> ClientRm::applications(Filter filter) {
  pb::GetApplicationsRequestProto request;
  for (auto& type : filter.types) request.add_application_types(std::move(type));
  for (auto& user : filter.users) request.add_users(std::move(user));
  for (auto& queue : filter.queues) request.add_queues(std::move(queue));
  for (auto& tag : filter.tags) request.add_applicationtags(std::move(tag));
  for (const auto state : filter.states) {
    for (const auto one : to_proto(state)) request.add_application_states(one);
  }
  if (filter.limit) request.set_limit(*filter.limit);
  const auto answer = co_await rpc_.call<pb::GetApplicationsResponseProto>(kGetApplications, request);
  if (!answer) co_return core::fail(explain(answer.error(), "listing applications"));
  std::vector<AppReport> reports;
  reports.reserve(static_cast<std::size_t>(answer->applications_size()));
  for (const auto& report : answer->applications()) reports.push_back(from_proto(report));
  co_return reports;
}

net::Async<> ClientRm::kill(ApplicationId id, std::string diagnostics, core::Millis at_most) {
  const auto deadline = core::steady_now() + at_most;
  pb::KillApplicationRequestProto request;
  *request.mutable_application_id() = to_proto(id);
  request.set_diagnostics(std::move(diagnostics));
  while (core::steady_now() < deadline) {
    const auto answer = co_await rpc_.call<pb::KillApplicationResponseProto>(kForceKillApplication, request,
                                                                             deadline - core::steady_now());
    if (!answer) co_return core::fail(explain(answer.error(), "killing " + id.str()));
    if (answer->is_kill_completed()) co_return core::Result<>{};
    co_await net::pause(kPoll);
  }
  co_return core::fail(hrpc::Errc::timed_out, fmt::format("{} was still running {} after the request to kill it",
                                                          id.str(), core::format_duration(at_most)));
}

net::Async<std::int32_t> ClientRm::set_priority(ApplicationId id, std::int32_t priority) {
  pb::UpdateApplicationPriorityRequestProto request;
  *request.mutable_applicationid() = to_proto(id);
  request.mutable_applicationpriority()->set_priority(priority);
  const auto answer = co_await rpc_.call<pb::UpdateApplicationPriorityResponseProto>(kUpdatePriority, request);
  if (!answer) co_return core::fail(explain(answer.error(), "changing the priority of " + id.str()));
  co_return answer->applicationpriority().priority();
}

}  // namespace ydl::yarn

#include "backend/agent_link.hpp"

#include <utility>

namespace ydl::backend {

void AgentLink::expect() {
  hub_.expect(id_, {[](const protocol::Hello&) {},
                    [weak = weak_from_this()](const protocol::Report& report) {
                      if (const auto self = weak.lock()) self->on_report(report);
                    }});
}

void AgentLink::prepare(protocol::Prepare request) {
  attempts_.insert(request.attempt);
  if (!request.same_ports.empty()) in_place_.insert(request.attempt);
  hub_.send(id_, std::move(request));
}

void AgentLink::launch(protocol::Launch request) {
  launched_.insert(request.attempt);
  hub_.send(id_, std::move(request));
}

void AgentLink::release(const core::AttemptId& attempt) {
  attempts_.erase(attempt);
  if (launched_.erase(attempt) > 0) releasing_.insert(attempt);
  placed_.erase(attempt);
  in_place_.erase(attempt);
  hub_.send(id_, protocol::Release{attempt});
}

void AgentLink::pass(protocol::Notice notice) {
  const bool is_of_task = is_about_task(notice);
  std::visit(
      [&](auto& one) {
        const bool has_it = is_of_task ? placed_.contains(one.attempt) : hub_.agent_of(one.attempt) == id_;
        if (has_it) hub_.send(id_, std::move(one));
      },
      notice);
}

void AgentLink::on_report(const protocol::Report& report) {
  using Attempt = Translation::Attempt;
  if (std::holds_alternative<protocol::TaskGone>(report) && releasing_.erase(attempt_of(report)) > 0)
    tell_job(job::Lost{attempt_of(report), "its container was released",
                       job::Cause::stopped});  // ignored if its end was already reported
  auto translation = translate(report, host_);
  if (translation.attempt == Attempt::not_prepared) {  // there is no other host to try
    const auto attempt = attempt_of(report);
    if (in_place_.contains(attempt))  // with other ports the preparation may succeed
      translation.event = job::Lost{attempt, translation.reason, translation.cause};
    else
      translation.event = job::CannotPlace{attempt, translation.reason, translation.cause};
  }
  if (translation.attempt == Attempt::prepared) placed_.insert(attempt_of(report));
  if (translation.attempt == Attempt::not_prepared || translation.attempt == Attempt::over) {
    attempts_.erase(attempt_of(report));
    placed_.erase(attempt_of(report));
    launched_.erase(attempt_of(report));
  }
  if (!closed_) tell(sink_, std::move(translation));
}

void AgentLink::lost(const std::string& reason) {
  hub_.forget(id_);
  const auto placed = std::exchange(placed_, {});
  for (const auto& attempt : std::exchange(releasing_, {})) tell_job(job::Lost{attempt, reason});
  for (const auto& attempt : std::exchange(attempts_, {})) {
    if (placed.contains(attempt))
      tell_job(job::Lost{attempt, reason});
    else
      tell_job(job::CannotPlace{attempt, reason, job::Cause::agent_lost});
  }
}

void AgentLink::tell_job(job::Event event) const {
  if (!closed_) sink_.event(std::move(event));
}

}  // namespace ydl::backend

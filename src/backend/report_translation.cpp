#include "backend/report_translation.hpp"

#include "core/strings.hpp"

#include <fmt/format.h>

namespace ydl::backend {
namespace {

using Attempt = Translation::Attempt;

std::string note_of(const core::AttemptId& attempt, std::string_view text) {
  return fmt::format("{}: {}", attempt.task.str(), text);
}

struct Translator {
  const AgentHost& host;

  Translation operator()(const protocol::Prepared& report) const {
    return {.attempt = Attempt::prepared,
            .event = job::Placed{report.attempt, {host.address, host.name, report.ports, host.container}}};
  }
  Translation operator()(const protocol::PrepareFailed& report) const {
    return {.attempt = Attempt::not_prepared,
            .reason = report.reason,
            .cause = report.cause,
            .on_every_host = report.on_every_host};
  }
  Translation operator()(const protocol::TaskStarted& report) const {
    return {.event = job::Started{report.attempt, report.pid}};
  }
  Translation operator()(const protocol::TaskStartFailed& report) const {
    // If a port was taken, the attempt itself continues; the job decides about it.
    const bool goes_on = report.cause == job::Cause::port_taken;
    return {.attempt = goes_on ? Attempt::goes_on : Attempt::over,
            .event = job::StartFailed{report.attempt, report.cause, report.reason}};
  }
  Translation operator()(const protocol::TaskSaving& report) const { return {.event = job::Saving{report.attempt}}; }
  Translation operator()(const protocol::TaskSaved& report) const { return {.event = job::Saved{report.attempt}}; }
  Translation operator()(const protocol::TaskSilent& report) const {
    return {.event = job::FellSilent{report.attempt}};
  }
  Translation operator()(const protocol::TaskWrites& report) const {
    return {.event = job::WritesAgain{report.attempt}};
  }

  Translation operator()(const protocol::TaskExited& report) const {
    Translation translation{.attempt = Attempt::over};
    if (report.leftovers > 0) {
      const auto what = report.leftovers == 1 ? "a process" : fmt::format("{} processes", report.leftovers);
      translation.notes.push_back(fmt::format("{} left {} running; killed", report.attempt.task.str(), what));
    }
    auto status = report.status;
    if (!report.problem.empty()) {
      translation.notes.push_back(note_of(report.attempt, report.problem));
      if (status.ok()) {  // a task whose results are lost has not succeeded
        status.code = 1;
        status.cause = job::Cause::results;
      }
    }
    translation.event = job::Exited{report.attempt, status};
    return translation;
  }

  // Only a backend that is waiting for this report uses it.
  Translation operator()(const protocol::TaskGone& /*report*/) const { return {}; }
  Translation operator()(const protocol::TaskOutput& report) const { return {.output = report}; }
  Translation operator()(const protocol::Note& report) const {
    return {.notes = {note_of(report.attempt, report.text)}};
  }
  Translation operator()(const protocol::SchedulerNote& report) const { return {.notes = {report.text}}; }
  Translation operator()(const protocol::SchedulerBroken& report) const {
    return {.event = job::RendezvousFailed{report.attempt, report.reason}};
  }
  Translation operator()(const protocol::LogPiece& /*report*/) const {
    return {};
  }  // the hub passes it to the caller of read_log()
};

}  // namespace

core::AttemptId attempt_of(const protocol::Report& report) {
  return std::visit([](const auto& one) { return one.attempt; }, report);
}

Translation translate(const protocol::Report& report, const AgentHost& host) {
  return std::visit(Translator{host}, report);
}

void tell(const Sink& sink, Translation translation) {
  for (auto& note : translation.notes) sink.note(std::move(note));
  if (translation.output) sink.output(*translation.output);
  if (translation.event) sink.event(*std::move(translation.event));
}

std::string silence_reason(const std::string& host, core::Millis silence) {
  return fmt::format("its agent on {} has not called for {}; the host or the network may be down", host,
                     core::format_duration(silence));
}

}  // namespace ydl::backend

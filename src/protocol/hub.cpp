#include "protocol/hub.hpp"

#include "core/json.hpp"
#include "core/log.hpp"
#include "core/strings.hpp"
#include "core/version.hpp"
#include "protocol/report_list.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::protocol {

namespace {

// An answer has up to 256 KiB, and the agent's memory counts towards the limit of its task's container.
constexpr std::size_t kMostQuestions = 8;
constexpr core::Millis kForgetQuestion = core::Seconds(60);

core::Error unknown_agent(const core::AgentId& id) {
  return {core::Errc::not_found, fmt::format("agent '{}' is not of this job", id.str())};
}

core::Error suspended() {
  return {core::Errc::unavailable, "this master may have been replaced: look for a new one"};
}

// Turns a Prepared report with a wrong number of ports into a PrepareFailed. Otherwise the peers of the task would be
// given ports that do not exist.
Report with_ports(int asked, const Report& report) {
  const auto* prepared = std::get_if<Prepared>(&report);
  if (prepared == nullptr || std::ssize(prepared->ports) == asked) return report;
  return PrepareFailed{prepared->attempt, fmt::format("its agent holds {} for it instead of {}",
                                                      core::plural(std::ssize(prepared->ports), "port"), asked)};
}

}  // namespace

void Hub::expect(const core::AgentId& id, Listener listener) {
  auto session = std::make_shared<Session>(executor_);
  session->listener = std::move(listener);
  session->is_suspended = is_suspended_;
  sessions_[id] = std::move(session);
}

void Hub::forget(const core::AgentId& id) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return;
  found->second->news.notify();
  found->second->forgotten = true;
  for (const auto& [token, question] : found->second->questions) question->answered.notify();
  for (const auto& [attempt, ports] : found->second->attempts) {
    const auto prepared = agents_.find(attempt);
    if (prepared != agents_.end() && prepared->second == id) agents_.erase(prepared);
  }
  sessions_.erase(found);
}

void Hub::adopt(const core::AgentId& id, const core::AttemptId& attempt, int ports) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return;
  agents_[attempt] = id;
  found->second->attempts.insert_or_assign(attempt, ports);
}

void Hub::suspend() {
  is_suspended_ = true;
  for (const auto& [id, session] : sessions_) {
    session->is_suspended = true;
    session->news.notify();
  }
}

void Hub::resume() {
  is_suspended_ = false;
  for (const auto& [id, session] : sessions_) session->is_suspended = false;
}

std::optional<core::AgentId> Hub::agent_of(const core::AttemptId& attempt) const {
  const auto found = agents_.find(attempt);
  return found == agents_.end() ? std::nullopt : std::optional(found->second);
}

void Hub::send(const core::AgentId& id, Command command) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return;  // the agent is gone, which the backend reports
  if (const auto* prepare = std::get_if<Prepare>(&command)) {
    agents_[prepare->attempt] = id;
    found->second->attempts.insert_or_assign(prepare->attempt, ports_reported(*prepare));
  }
  if (const auto* release = std::get_if<Release>(&command)) agents_.erase(release->attempt);
  if (found->second->outbox.empty()) found->second->outbox_since = core::steady_now();
  found->second->outbox.push(std::move(command));
  found->second->news.notify();
}

core::Instant Hub::last_heard(const core::AgentId& id) const {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? core::Instant{} : found->second->last_heard;
}

std::optional<core::Instant> Hub::unconfirmed_since(const core::AgentId& id) const {
  const auto found = sessions_.find(id);
  if (found == sessions_.end() || found->second->outbox.empty()) return std::nullopt;
  return found->second->outbox_since;
}

core::Result<std::shared_ptr<Hub::Session>> Hub::session(const core::AgentId& id) {
  const auto found = sessions_.find(id);
  if (found != sessions_.end()) found->second->last_heard = core::steady_now();
  if (is_suspended_) return core::fail(suspended());
  if (found != sessions_.end()) return found->second;
  if (!is_taking_over_) return core::fail(unknown_agent(id));
  return core::fail(
      core::Errc::unavailable,
      fmt::format("this master cannot tell yet whether agent '{}' belongs to its job; try again", id.str()));
}

core::Result<Welcome> Hub::hello(const core::AgentId& id, std::string_view body, const std::string& from) {
  const auto found = session(id);
  if (!found) return core::fail(found.error());
  const auto object = core::parse_json_object(body);
  if (!object) return core::fail(object.error());
  const auto hello = hello_from_json(*object);
  if (!hello) return core::fail(hello.error());
  if (hello->protocol != kProtocolVersion || hello->version != core::kVersion) {
    return core::fail(core::Errc::refused,
                      fmt::format("agent on {} is ydl {} (protocol {}), this master is ydl {} (protocol {})",
                                  hello->node, hello->version, hello->protocol, core::kVersion, kProtocolVersion));
  }
  if (!from.empty()) addresses_.insert(from);
  (*found)->listener.on_hello(*hello);
  return Welcome{epoch_};
}

net::Async<CommandList> Hub::commands(core::AgentId id, Sequence after, core::Millis wait) {
  // The hub may be destroyed while this coroutine waits, so it uses copies.
  const auto executor = executor_;
  const auto epoch = epoch_;
  const auto found = session(id);
  if (!found) co_return core::fail(found.error());
  const auto& current = *found;
  if (after >= current->outbox.first()) current->outbox_since = core::steady_now();
  current->outbox.confirm(after);
  if (current->outbox.empty()) co_await current->news.wait(wait);
  // Let the code that sends commands finish its turn, so that all of them go into one answer.
  co_await net::asio::post(executor, net::asio::use_awaitable);
  current->last_heard = core::steady_now();
  if (current->is_suspended) co_return core::fail(suspended());
  co_return encode_commands(epoch, current->outbox);
}

void Hub::answer_now(const core::AgentId& id) {
  if (const auto found = sessions_.find(id); found != sessions_.end()) found->second->news.notify();
}

net::Async<LogPiece> Hub::read_log(core::AgentId id, ReadLog question, core::Millis at_most) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) co_return core::fail(unknown_agent(id));
  const auto session = found->second;
  std::erase_if(session->questions,
                [](const auto& one) { return core::steady_now() - one.second->asked_at > kForgetQuestion; });
  if (session->questions.size() >= kMostQuestions) {
    co_return core::fail(core::Errc::unavailable,
                         fmt::format("agent '{}' has not answered earlier questions yet; try again", id.str()));
  }
  const auto asked = std::make_shared<Question>(executor_);
  const auto token = ++last_token_;
  session->questions.emplace(token, asked);
  question.token = token;
  send(id, std::move(question));
  co_await asked->answered.wait(at_most);  // after a timeout the question stays, because the agent may still answer
  if (!asked->answer && session->forgotten) co_return core::fail(unknown_agent(id));
  if (!asked->answer) {
    co_return core::fail(core::Errc::timeout,
                         fmt::format("agent '{}' did not answer a request for a log in time", id.str()));
  }
  if (!asked->answer->problem.empty()) co_return core::fail(core::Errc::io, asked->answer->problem);
  co_return *std::move(asked->answer);
}

// A LogPiece goes to the caller of read_log(), all else to the listener. Reports about attempts of other agents are
// dropped: a task that has found the key of its own container must not be able to report for other tasks.
void Hub::deliver(const core::AgentId& id, Session& session, const Report& report) {
  const auto* piece = std::get_if<LogPiece>(&report);
  if (piece == nullptr) {
    const auto attempt = std::visit([](const auto& one) { return one.attempt; }, report);
    const auto own = session.attempts.find(attempt);
    if (own != session.attempts.end()) return session.listener.on_report(with_ports(own->second, report));
    if (!std::exchange(session.sent_foreign, true))
      core::log("agent '{}': dropping its reports about {}, which is not an attempt of this agent", id.str(),
                attempt.str());
    return;
  }
  const auto found = session.questions.find(piece->token);
  if (found == session.questions.end()) return;  // the answer came too late
  const auto asked = found->second;
  session.questions.erase(found);
  asked->answer = *piece;
  asked->answered.notify();
}

core::Result<void> Hub::reports(const core::AgentId& id, std::string_view body) {
  const auto found = session(id);
  if (!found) return core::fail(found.error());
  const auto& current = *found;  // kept alive by found: a listener may forget the agent
  return read_reports(body, epoch_, [&](Sequence seq, const core::Result<Report>& report) {
    if (!current->inbox.accept(seq)) return;
    if (report)
      deliver(id, *current, *report);
    else  // if the list were refused, the agent would repeat it for ever and its other reports would never arrive
      core::log("agent '{}': skipping report {}, which cannot be decoded: {}", id.str(), seq, report.error().message);
  });
}

}  // namespace ydl::protocol

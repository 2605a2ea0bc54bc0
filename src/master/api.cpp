#include "master/api.hpp"

#include "core/json.hpp"
#include "core/strings.hpp"
#include "net/spawn.hpp"

#include <algorithm>
#include <exception>
#include <fcntl.h>
#include <limits>
#include <unistd.h>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::master {
namespace {

using core::Errc;
using http::Request;
using http::Response;
using net::awaitable;

constexpr std::int64_t kLongestWait = 30'000;
// The limits of one answer; a client calls again for more. Answers to guests are smaller, because all of them together
// must not use the memory that the job's own agents need (http::Limits::guest_calls).
constexpr std::size_t kMostEventBytes = std::size_t{4} << 20U;
constexpr std::size_t kMostEventBytesForGuests = std::size_t{256} << 10U;
// After this time without an event a stream gets a comment line, as a sign of life.
constexpr core::Millis kQuietStream = core::Seconds(15);
constexpr std::int64_t kLongestGrace = 365LL * 86'400'000;
constexpr std::size_t kLargestHello = std::size_t{64} << 10U;
constexpr std::size_t kLargestReports = std::size_t{4} << 20U;
constexpr std::int64_t kLogPiece = std::int64_t{1} << 20U;
constexpr std::int64_t kLogPieceForGuests = std::int64_t{256} << 10U;

std::int64_t number(const Request& request, const std::string& key, std::int64_t otherwise) {
  const auto found = request.query.find(key);
  if (found == request.query.end()) return otherwise;
  return std::max<std::int64_t>(0, core::parse_int<std::int64_t>(found->second).value_or(otherwise));
}

Response refuse(const core::Error& error) {
  const unsigned status = error.code == Errc::not_found     ? 404
                          : error.code == Errc::refused     ? 409
                          : error.code == Errc::timeout     ? 504
                          : error.code == Errc::unavailable ? 503
                                                            : 400;
  return Response::error(status, error.message);
}

struct EventList {
  std::string json;
  std::uint64_t last = 0;  // the number of its last entry
};

// The entries after `after`, as many as fit into one answer.
EventList event_list(const Journal& journal, std::uint64_t after, std::size_t most_bytes) {
  std::string list;
  for (; after < journal.last(); ++after) {
    const auto& line = journal.line(after + 1);
    if (!list.empty() && list.size() + line.size() > most_bytes) break;
    if (!list.empty()) list += ',';
    list += line;
  }
  return {fmt::format("{{\"events\":[{}]}}", list), after};
}

awaitable<void> stream_events(Master& master, bool is_owner, std::uint64_t after, http::EventStream& stream) {
  for (;;) {
    // One entry at a time, so that a slow reader does not hold all of them in memory.
    while (after < master.journal().last()) {
      ++after;
      if (!co_await stream.send(std::to_string(after), master.journal().line(after))) co_return;
      if (is_owner) master.journal().told(after);
    }
    // There may be new entries, because a slow reader takes time for the last lines.
    if (master.finished() && after >= master.journal().last()) co_return;
    co_await master.journal().wait_after(after, kQuietStream);
    if (master.journal().last() == after && !master.finished() && !co_await stream.keep_alive()) co_return;
  }
}

awaitable<Response> get_events(Master& master, Request request) {
  const auto after = static_cast<std::uint64_t>(number(request, "after", 0));
  const bool is_owner = request.guest.empty();
  if (request.wants_event_stream) {
    Response response;
    response.stream = [&master, is_owner, after](http::EventStream& stream) {
      return stream_events(master, is_owner, after, stream);
    };
    co_return response;
  }
  const auto wait = std::min(number(request, "wait", 0), kLongestWait);
  if (wait > 0 && !master.finished()) co_await master.journal().wait_after(after, core::Millis(wait));
  // Let other coroutines finish, so that their events go into one answer.
  co_await net::asio::post(co_await net::asio::this_coro::executor, net::asio::use_awaitable);
  auto list = event_list(master.journal(), after, is_owner ? kMostEventBytes : kMostEventBytesForGuests);
  if (is_owner) master.journal().told(list.last);
  co_return Response::json(std::move(list.json));
}

core::Result<std::string> read_piece(const std::filesystem::path& file, std::int64_t offset, std::int64_t limit) {
  const core::UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd && errno == ENOENT) return std::string();  // the task has not written yet
  if (!fd) return core::fail(core::system_error(errno, fmt::format("cannot open {}", file.string())));
  std::string piece(static_cast<std::size_t>(limit), '\0');
  const auto n = ::pread(fd.get(), piece.data(), piece.size(), offset);
  if (n < 0) return core::fail(core::system_error(errno, fmt::format("cannot read {}", file.string())));
  piece.resize(static_cast<std::size_t>(n));
  return piece;
}

// On a cluster the logs are on the tasks' hosts. The agent of a task reads them, as long as it runs.
net::Async<std::string> ask_for_piece(Master& master, protocol::Hub& hub, protocol::ReadLog question) {
  const auto where = fmt::format("the logs of the job are in {}", master.logs_elsewhere());
  const auto agent = hub.agent_of(question.attempt);
  if (!agent)
    co_return core::fail(Errc::not_found, fmt::format("no agent holds {} now: {}", question.attempt.str(), where));
  auto piece = co_await hub.read_log(*agent, std::move(question));
  if (!piece) co_return core::fail(piece.error().code, fmt::format("{}; {}", piece.error().message, where));
  co_return std::move(piece->bytes.data);
}

awaitable<Response> get_log(Master& master, protocol::Hub& hub, Request request) {
  const auto task = core::TaskId::parse(request.captures["task"]);
  if (!task) co_return refuse(task.error());
  int attempt = master.machine().attempt_of(*task).value_or(0);
  if (attempt == 0) co_return Response::error(404, fmt::format("the job has no task {}", task->str()));
  const auto stream = request.query.contains("stream") ? request.query["stream"] : "stdout";
  if (stream != "stdout" && stream != "stderr") co_return Response::error(400, "stream must be stdout or stderr");
  attempt = static_cast<int>(std::min<std::int64_t>(number(request, "attempt", attempt), attempt));
  constexpr auto kLastOffset = std::numeric_limits<std::int64_t>::max() - kLogPiece;
  const auto offset = std::min(number(request, "offset", 0), kLastOffset);
  const auto most = request.guest.empty() ? kLogPiece : kLogPieceForGuests;
  const auto limit = std::min(number(request, "limit", most), most);
  const core::AttemptId wanted{*task, attempt};
  if (!master.logs_elsewhere().empty()) {
    protocol::ReadLog question{
        wanted, stream == "stdout" ? protocol::LogStream::standard_output : protocol::LogStream::standard_error,
        static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(limit)};
    auto asked = co_await ask_for_piece(master, hub, std::move(question));
    if (!asked) co_return refuse(asked.error());
    co_return Response{200, *std::move(asked), "application/octet-stream"};
  }
  const auto piece = read_piece(master.folder().task_logs(wanted) / stream, offset, limit);
  if (!piece) co_return refuse(piece.error());
  co_return Response{200, *piece, "application/octet-stream"};
}

awaitable<Response> post_stop(Master& master, Request request) {
  const auto body = core::parse_json_object(request.body.empty() ? "{}" : request.body);
  if (!body) co_return refuse(body.error());
  std::optional<core::Millis> grace;
  if (const auto asked = core::json_int(*body, "grace_ms"); asked && *asked >= 0)
    grace = core::Millis(std::min(*asked, kLongestGrace));
  const auto by = request.guest.empty() ? core::json_string_or(*body, "by", "the API") : request.guest;
  master.request_stop(by, grace);
  co_return Response::json("{}");
}

awaitable<Response> agent_hello(protocol::Hub& hub, Request request) {
  const auto welcome = hub.hello({request.captures["id"]}, request.body, request.from);
  co_return welcome ? Response::json(boost::json::serialize(protocol::to_json(*welcome))) : refuse(welcome.error());
}

awaitable<void> rethrow(std::exception_ptr thrown) {
  std::rethrow_exception(std::move(thrown));
  co_return;
}

awaitable<Response> agent_exchange(protocol::Hub& hub, Request request) {
  const core::AgentId id{request.captures["id"]};
  const auto executor = co_await net::asio::this_coro::executor;
  core::Result<> taken;
  try {
    taken = hub.reports(id, request.body);
  } catch (...) {
    // The number of the report was already accepted, so a repetition would be ignored and the job would miss the
    // report. Therefore the job ends, as with an exception in any other part of this process.
    net::spawn(executor, "handling an agent's report", rethrow(std::current_exception()));
    throw;
  }
  if (!taken) co_return refuse(taken.error());
  request.drop_body();
  const auto after = static_cast<protocol::Sequence>(number(request, "after", 0));
  auto wait = std::min(number(request, "wait", 0), kLongestWait);
  if (request.client && request.client->has_more([&hub, id] { hub.answer_now(id); })) wait = 0;
  auto list = co_await hub.commands(id, after, core::Millis(wait));
  if (!list) co_return refuse(list.error());
  auto response = Response::json(std::move(list->commands));
  response.shared_end = std::move(list->gang);
  co_return response;
}

awaitable<Response> get_job(Master& master, Request request) {
  if (request.guest.empty()) co_return Response::json(master.job_view());
  auto response = Response::json("");
  response.shared_end = master.recent_view();
  co_return response;
}

}  // namespace

void add_agent_routes(http::Router& router, protocol::Hub& hub) {
  router.add("POST", "/v1/agents/{id}/hello", [&hub](Request r) { return agent_hello(hub, std::move(r)); },
             {kLargestHello, "id"});
  router.add("POST", "/v1/agents/{id}/exchange", [&hub](Request r) { return agent_exchange(hub, std::move(r)); },
             {kLargestReports, "id"});
}

http::Router make_api(Master& master, protocol::Hub& hub) {
  http::Router router;
  http::RouteOptions to_view;
  to_view.open_to = http::OpenTo::viewers;
  http::RouteOptions to_modify;
  to_modify.open_to = http::OpenTo::modifiers;
  router.add("GET", "/v1/job", [&](Request r) { return get_job(master, std::move(r)); }, to_view);
  router.add("GET", "/v1/events", [&](Request r) { return get_events(master, std::move(r)); }, to_view);
  router.add("GET", "/v1/tasks/{task}/logs", [&](Request r) { return get_log(master, hub, std::move(r)); }, to_view);
  router.add("POST", "/v1/job/stop", [&](Request r) { return post_stop(master, std::move(r)); }, to_modify);
  add_agent_routes(router, hub);
  return router;
}

}  // namespace ydl::master

#include "client/job_client.hpp"

#include "client/views.hpp"
#include "core/json.hpp"
#include "core/user.hpp"
#include "core/utf8.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::client {
namespace {

constexpr std::size_t kLongestReason = 1000;
constexpr core::Millis kPatience = core::Seconds(10);
constexpr core::Millis kEventPatience = core::Seconds(5);  // how long a call for events waits without an event

// The body of a successful answer, or the error of another one; `refused` if a retry would not help.
core::Result<std::string> body_of(core::Result<net::HttpResponse> response) {
  if (!response) return core::fail(response.error());
  if (response->status == 200) return std::move(response->body);
  const auto object = core::parse_json_object(response->body);
  const auto given = object ? core::json_string_or(*object, "error", "no reason given") : response->body;
  const auto sentence = core::escaped(core::shortened(given, kLongestReason));
  const bool is_refusal = response->status == 401 || response->status == 403 || response->status == 409;
  return core::fail(is_refusal ? core::Errc::refused : core::Errc::unavailable,
                    fmt::format("the master answered {}: {}", response->status, sentence));
}

}  // namespace

net::Async<ui::JobView> JobClient::job() {
  auto body = body_of(co_await client_.get("/v1/job", kPatience));
  if (!body) co_return core::fail(body.error());
  co_return job_view_from_json(*body);
}

net::Async<std::vector<ui::EventView>> JobClient::events(std::uint64_t after, core::Millis wait) {
  auto body = body_of(
      co_await client_.get(fmt::format("/v1/events?after={}&wait={}", after, wait.count()), wait + kEventPatience));
  if (!body) co_return core::fail(body.error());
  co_return events_from_json(*body);
}

net::Async<std::string> JobClient::log(core::AttemptId attempt, std::string stream, std::uint64_t offset) {
  auto target = fmt::format("/v1/tasks/{}/logs?stream={}&attempt={}&offset={}", attempt.task.str(), stream,
                            attempt.attempt, offset);
  co_return body_of(co_await client_.get(std::move(target), kPatience));
}

net::Async<> JobClient::stop(std::string by, std::optional<core::Millis> grace) {
  boost::json::object request{{"by", by}};
  if (grace) request["grace_ms"] = grace->count();
  auto body = body_of(co_await client_.post("/v1/job/stop", boost::json::serialize(request), kPatience));
  if (!body) co_return core::fail(body.error());
  co_return core::Result<>{};
}

std::string who_am_i() {
  return fmt::format("{} at {}", core::user_name(), core::host_name());
}

}  // namespace ydl::client

#include "protocol/reports.hpp"

#include "core/base64.hpp"
#include "core/json.hpp"
#include "protocol/fields.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::protocol {
namespace {

namespace json = boost::json;
using core::Errc;
using core::fail;
using core::json_bool_or;
using core::json_int_or;
using core::json_string;
using core::json_string_or;
using core::Result;

json::object encode(const Prepared& r) {
  auto o = begin("prepared", r.attempt);
  o["ports"] = json::array(r.ports.begin(), r.ports.end());
  return o;
}

json::object encode(const PrepareFailed& r) {
  auto o = begin("prepare_failed", r.attempt);
  o["reason"] = r.reason;
  o["cause"] = job::name(r.cause);
  o["on_every_host"] = r.on_every_host;
  return o;
}

json::object encode(const TaskStarted& r) {
  auto o = begin("started", r.attempt);
  o["pid"] = r.pid;
  return o;
}

json::object encode(const TaskStartFailed& r) {
  auto o = begin("start_failed", r.attempt);
  o["cause"] = job::name(r.cause);
  o["reason"] = r.reason;
  return o;
}

json::object encode(const TaskSaving& r) {
  return begin("saving", r.attempt);
}

json::object encode(const TaskExited& r) {
  auto o = begin("exited", r.attempt);
  o["code"] = r.status.code;
  o["signal"] = r.status.signal;
  o["out_of_memory"] = r.status.out_of_memory;
  o["peak_memory"] = static_cast<std::int64_t>(r.status.peak_memory);
  o["memory_limit"] = static_cast<std::int64_t>(r.status.memory_limit);
  if (r.status.cause != job::Cause::none) o["cause"] = job::name(r.status.cause);
  o["leftovers"] = r.leftovers;
  if (!r.problem.empty()) o["problem"] = r.problem;
  return o;
}

json::object encode(const TaskOutput& r) {
  auto o = begin("output", r.attempt);
  o["last_line"] = r.last_line;
  if (r.progress) {
    o["progress"] = *r.progress;
    o["progress_text"] = r.progress_text;
  }
  return o;
}

json::object encode(const Note& r) {
  auto o = begin("note", r.attempt);
  o["text"] = r.text;
  return o;
}

json::object encode(const LogPiece& r) {
  auto o = begin("log_piece", r.attempt);
  o["token"] = static_cast<std::int64_t>(r.token);
  o["offset"] = static_cast<std::int64_t>(r.offset);
  o["size"] = static_cast<std::int64_t>(r.size);
  o["bytes"] = core::to_base64(r.bytes);
  if (!r.problem.empty()) o["problem"] = r.problem;
  return o;
}

// ---- decoders --------------------------------------------------------------------------------------------------

Result<Report> decode_log_piece(const json::object& o, core::AttemptId attempt) {
  const auto token = natural(o, "token");
  const auto offset = natural(o, "offset");
  const auto size = natural(o, "size");
  for (const auto* field : {&token, &offset, &size}) {
    if (!*field) return fail(field->error());
  }
  const auto text = json_string(o, "bytes");
  if (!text) return fail(text.error());
  auto bytes = core::from_base64(*text);
  if (!bytes) return fail(bytes.error());
  return LogPiece{std::move(attempt), *token, *offset, *size, *std::move(bytes), json_string_or(o, "problem", "")};
}

Result<job::Cause> cause_in(const json::object& o) {
  const auto text = json_string(o, "cause");
  if (!text) return fail(text.error());
  const auto cause = core::parse_name<job::Cause>(*text);
  if (!cause) return fail(Errc::corrupt, fmt::format("unknown cause '{}'", *text));
  return *cause;
}

Result<Report> decode_exited(const json::object& o, core::AttemptId attempt) {
  TaskExited r;
  r.attempt = std::move(attempt);
  const auto code = small_int(o, "code", 255);
  const auto signal = small_int(o, "signal", 127);
  if (!code) return fail(code.error());
  if (!signal) return fail(signal.error());
  r.status.code = *code;
  r.status.signal = *signal;
  r.status.out_of_memory = json_bool_or(o, "out_of_memory", false);
  r.status.peak_memory = static_cast<std::uint64_t>(std::max<std::int64_t>(0, json_int_or(o, "peak_memory", 0)));
  r.status.memory_limit = static_cast<std::uint64_t>(std::max<std::int64_t>(0, json_int_or(o, "memory_limit", 0)));
  if (o.contains("cause")) {
    const auto cause = cause_in(o);
    if (!cause) return fail(cause.error());
    r.status.cause = *cause;
  }
  r.leftovers = small_int(o, "leftovers").value_or(0);
  r.problem = json_string_or(o, "problem", "");
  return r;
}

Result<Report> decode_start_failed(const json::object& o, core::AttemptId attempt) {
  const auto cause = cause_in(o);
  if (!cause) return fail(cause.error());
  return TaskStartFailed{std::move(attempt), *cause, json_string_or(o, "reason", "")};
}

Result<Report> decode_prepare_failed(const json::object& o, core::AttemptId attempt) {
  const auto cause = cause_in(o);
  if (!cause) return fail(cause.error());
  return PrepareFailed{std::move(attempt), json_string_or(o, "reason", ""), *cause,
                       json_bool_or(o, "on_every_host", false)};
}

}  // namespace

json::object to_json(const Report& report) {
  return std::visit([](const auto& r) { return encode(r); }, report);
}

Result<Report> report_from_json(const json::object& o) {
  const auto type = json_string(o, "type");
  if (!type) return fail(type.error());
  auto attempt = attempt_of(o);
  if (!attempt) return fail(attempt.error());
  if (*type == "prepared") {
    auto ports = ports_of(o, "ports");
    if (!ports) return fail(ports.error());
    return Prepared{*std::move(attempt), *std::move(ports)};
  }
  if (*type == "prepare_failed") return decode_prepare_failed(o, *std::move(attempt));
  if (*type == "started") return TaskStarted{*std::move(attempt), small_int(o, "pid").value_or(0)};
  if (*type == "start_failed") return decode_start_failed(o, *std::move(attempt));
  if (*type == "saving") return TaskSaving{*std::move(attempt)};
  if (*type == "exited") return decode_exited(o, *std::move(attempt));
  if (*type == "note") return Note{*std::move(attempt), json_string_or(o, "text", "")};
  if (*type == "log_piece") return decode_log_piece(o, *std::move(attempt));
  if (*type == "output") {
    auto progress = core::json_number(o, "progress");
    if (progress && !(*progress >= 0 && *progress <= 1)) progress.reset();  // infinity could not be passed on as JSON
    return TaskOutput{*std::move(attempt), json_string_or(o, "last_line", ""), progress,
                      json_string_or(o, "progress_text", "")};
  }
  return fail(Errc::corrupt, fmt::format("'{}' is no report", *type));
}

}  // namespace ydl::protocol

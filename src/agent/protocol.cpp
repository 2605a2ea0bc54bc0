#include "agent/protocol.hpp"

#include "core/json.hpp"

#include <array>
#include <functional>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::agent {
namespace {

namespace json = boost::json;
using core::Errc;
using core::fail;
using core::json_array;
using core::json_bool_or;
using core::json_int;
using core::json_int_or;
using core::json_object;
using core::json_string;
using core::json_string_or;
using core::Result;

constexpr std::array<std::string_view, 3> kStartFailures{"transient", "permanent", "port_taken"};

json::object begin(std::string_view type, const core::AttemptId& attempt) {
  return {{"type", type}, {"task", attempt.task.str()}, {"attempt", attempt.attempt}};
}

// Counts and small numbers of the protocol: in [0, limit].
Result<int> small_int(const json::object& o, std::string_view key, std::int64_t limit = 1'000'000'000) {
  const auto value = json_int(o, key);
  if (!value) return fail(value.error());
  if (*value < 0 || *value > limit) return fail(Errc::corrupt, fmt::format("'{}' is out of range: {}", key, *value));
  return static_cast<int>(*value);
}

Result<core::AttemptId> attempt_of(const json::object& o) {
  const auto task = json_string(o, "task");
  if (!task) return fail(task.error());
  auto id = core::TaskId::parse(*task);
  if (!id) return fail(id.error());
  const auto attempt = small_int(o, "attempt");
  if (!attempt) return fail(attempt.error());
  return core::AttemptId{*std::move(id), *attempt};
}

Result<std::vector<std::uint16_t>> ports_of(const json::object& o, std::string_view key) {
  const auto array = json_array(o, key);
  if (!array) return fail(array.error());
  std::vector<std::uint16_t> ports;
  for (const auto& item : **array) {
    const auto* port = item.if_int64();
    if (port == nullptr || *port < 1 || *port > 65535)
      return fail(Errc::corrupt, fmt::format("'{}' holds what is no port", key));
    ports.push_back(static_cast<std::uint16_t>(*port));
  }
  return ports;
}

Result<std::vector<std::string>> strings_of(const json::object& o, std::string_view key) {
  const auto array = json_array(o, key);
  if (!array) return fail(array.error());
  std::vector<std::string> strings;
  for (const auto& item : **array) {
    if (!item.is_string()) return fail(Errc::corrupt, fmt::format("'{}' holds what is no string", key));
    strings.emplace_back(item.get_string());
  }
  return strings;
}

// ---- encoders --------------------------------------------------------------------------------------------------

json::object encode(const Prepare& c) {
  auto o = begin("prepare", c.attempt);
  o["ports"] = c.ports;
  if (c.port_range) o["port_range"] = json::array{c.port_range->first, c.port_range->second};
  o["gpus"] = c.gpus;
  o["memory_limit"] = static_cast<std::int64_t>(c.memory_limit);
  o["vcores_limit"] = c.vcores_limit;
  o["working_directory"] = c.working_directory;
  o["results_directory"] = c.results_directory;
  o["log_directory"] = c.log_directory;
  o["linked_directory"] = c.linked_directory;
  json::array links;
  for (const auto& link : c.links) links.push_back(json::object{{"target", link.target}, {"name", link.name}});
  o["links"] = std::move(links);
  return o;
}

json::object encode(const Launch& c) {
  auto o = begin("launch", c.attempt);
  o["argv"] = json::array(c.argv.begin(), c.argv.end());
  json::object env;
  for (const auto& [name, value] : c.env) env[name] = value;
  o["env"] = std::move(env);
  return o;
}

json::object encode(const Stop& c) {
  auto o = begin("stop", c.attempt);
  o["grace_ms"] = c.grace.count();
  return o;
}

json::object encode(const Release& c) {
  return begin("release", c.attempt);
}
json::object encode(const Shutdown&) {
  return {{"type", "shutdown"}};
}

json::object encode(const Prepared& r) {
  auto o = begin("prepared", r.attempt);
  o["ports"] = json::array(r.ports.begin(), r.ports.end());
  return o;
}

json::object encode(const PrepareFailed& r) {
  auto o = begin("prepare_failed", r.attempt);
  o["reason"] = r.reason;
  return o;
}

json::object encode(const TaskStarted& r) {
  auto o = begin("started", r.attempt);
  o["pid"] = r.pid;
  return o;
}

json::object encode(const TaskStartFailed& r) {
  auto o = begin("start_failed", r.attempt);
  o["failure"] = kStartFailures.at(static_cast<std::size_t>(r.failure));
  o["reason"] = r.reason;
  return o;
}

json::object encode(const TaskExited& r) {
  auto o = begin("exited", r.attempt);
  o["code"] = r.status.code;
  o["signal"] = r.status.signal;
  o["out_of_memory"] = r.status.out_of_memory;
  o["peak_memory"] = static_cast<std::int64_t>(r.status.peak_memory);
  o["memory_limit"] = static_cast<std::int64_t>(r.status.memory_limit);
  o["leftovers"] = r.leftovers;
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

// ---- decoders --------------------------------------------------------------------------------------------------

Result<Command> decode_prepare(const json::object& o, core::AttemptId attempt) {
  Prepare c;
  c.attempt = std::move(attempt);
  const auto ports = small_int(o, "ports", 1000);
  const auto gpus = small_int(o, "gpus", 1000);
  const auto vcores = small_int(o, "vcores_limit", 100'000);
  for (const auto* field : {&ports, &gpus, &vcores}) {
    if (!*field) return fail(field->error());
  }
  c.ports = *ports;
  c.gpus = *gpus;
  c.vcores_limit = *vcores;
  c.memory_limit = static_cast<std::uint64_t>(std::max<std::int64_t>(0, json_int_or(o, "memory_limit", 0)));
  if (o.contains("port_range")) {
    const auto range = ports_of(o, "port_range");
    if (!range) return fail(range.error());
    if (range->size() != 2) return fail(Errc::corrupt, "'port_range' must hold two ports");
    c.port_range = {range->at(0), range->at(1)};
  }
  const auto working = json_string(o, "working_directory");
  const auto results = json_string(o, "results_directory");
  const auto logs = json_string(o, "log_directory");
  for (const auto* field : {&working, &results, &logs}) {
    if (!*field) return fail(field->error());
  }
  c.working_directory = *working;
  c.results_directory = *results;
  c.log_directory = *logs;
  c.linked_directory = json_string_or(o, "linked_directory", "");
  const auto links = json_array(o, "links");
  if (!links) return fail(links.error());
  for (const auto& item : **links) {
    if (!item.is_object()) return fail(Errc::corrupt, "'links' holds what is no link");
    const auto target = json_string(item.get_object(), "target");
    const auto name = json_string(item.get_object(), "name");
    if (!target) return fail(target.error());
    if (!name) return fail(name.error());
    c.links.push_back({*target, *name});
  }
  return c;
}

Result<Command> decode_launch(const json::object& o, core::AttemptId attempt) {
  auto argv = strings_of(o, "argv");
  if (!argv) return fail(argv.error());
  if (argv->empty()) return fail(Errc::corrupt, "'argv' is empty");
  Launch c{std::move(attempt), *std::move(argv), {}};
  const auto env = json_object(o, "env");
  if (!env) return fail(env.error());
  for (const auto& [name, value] : **env) {
    if (!value.is_string()) return fail(Errc::corrupt, "'env' holds what is no string");
    c.env.emplace(name, value.get_string());
  }
  return c;
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
  r.leftovers = small_int(o, "leftovers").value_or(0);
  return r;
}

Result<Report> decode_start_failed(const json::object& o, core::AttemptId attempt) {
  const auto failure = json_string(o, "failure");
  if (!failure) return fail(failure.error());
  for (std::size_t i = 0; i < kStartFailures.size(); ++i) {
    if (kStartFailures[i] != *failure) continue;
    return TaskStartFailed{std::move(attempt), static_cast<job::StartFailure>(i), json_string_or(o, "reason", "")};
  }
  return fail(Errc::corrupt, fmt::format("'{}' is no way to fail a start", *failure));
}

}  // namespace

json::object to_json(const Hello& hello) {
  return {{"protocol", hello.protocol}, {"version", hello.version}, {"node", hello.node}, {"pid", hello.pid}};
}

json::object to_json(const Command& command) {
  return std::visit([](const auto& c) { return encode(c); }, command);
}

json::object to_json(const Report& report) {
  return std::visit([](const auto& r) { return encode(r); }, report);
}

Result<Hello> hello_from_json(const json::object& o) {
  const auto protocol = small_int(o, "protocol");
  const auto node = json_string(o, "node");
  if (!protocol) return fail(protocol.error());
  if (!node) return fail(node.error());
  return Hello{*protocol, json_string_or(o, "version", "unknown"), *node, small_int(o, "pid").value_or(0)};
}

Result<Command> command_from_json(const json::object& o) {
  const auto type = json_string(o, "type");
  if (!type) return fail(type.error());
  if (*type == "shutdown") return Shutdown{};
  auto attempt = attempt_of(o);
  if (!attempt) return fail(attempt.error());
  if (*type == "prepare") return decode_prepare(o, *std::move(attempt));
  if (*type == "launch") return decode_launch(o, *std::move(attempt));
  if (*type == "release") return Release{*std::move(attempt)};
  if (*type == "stop") {
    const auto grace = json_int(o, "grace_ms");  // a user may ask for weeks
    if (!grace) return fail(grace.error());
    if (*grace < 0) return fail(Errc::corrupt, fmt::format("'grace_ms' is out of range: {}", *grace));
    return Stop{*std::move(attempt), core::Millis(*grace)};
  }
  return fail(Errc::corrupt, fmt::format("'{}' is no command", *type));
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
  if (*type == "prepare_failed") return PrepareFailed{*std::move(attempt), json_string_or(o, "reason", "")};
  if (*type == "started") return TaskStarted{*std::move(attempt), small_int(o, "pid").value_or(0)};
  if (*type == "start_failed") return decode_start_failed(o, *std::move(attempt));
  if (*type == "exited") return decode_exited(o, *std::move(attempt));
  if (*type == "output") {
    auto progress = core::json_number(o, "progress");
    if (progress && !(*progress >= 0 && *progress <= 1)) progress.reset();  // infinity could not be passed on as JSON
    return TaskOutput{*std::move(attempt), json_string_or(o, "last_line", ""), progress,
                      json_string_or(o, "progress_text", "")};
  }
  return fail(Errc::corrupt, fmt::format("'{}' is no report", *type));
}

}  // namespace ydl::agent

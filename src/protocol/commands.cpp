#include "protocol/commands.hpp"

#include "core/json.hpp"
#include "protocol/fields.hpp"

#include <array>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::protocol {
namespace {

namespace json = boost::json;
using core::Errc;
using core::fail;
using core::json_array;
using core::json_int;
using core::json_int_or;
using core::json_object;
using core::json_string;
using core::json_string_or;
using core::Result;

constexpr std::array kHostGpus{HostGpus::hidden, HostGpus::hidden_with_note, HostGpus::visible};
constexpr std::array kPulls{Image::Pull::missing, Image::Pull::always, Image::Pull::never};

json::object encode(const Prepare& c) {
  auto o = begin("prepare", c.attempt);
  o["ports"] = c.ports;
  if (c.port_range) o["port_range"] = json::array{c.port_range->first, c.port_range->second};
  o["gpus"] = c.gpus;
  o["host_gpus"] = name(c.host_gpus);
  o["memory_limit"] = static_cast<std::int64_t>(c.memory_limit);
  o["vcores_limit"] = c.vcores_limit;
  o["working_directory"] = c.working_directory;
  o["results_directory"] = c.results_directory;
  o["log_directory"] = c.log_directory;
  o["linked_directory"] = c.linked_directory;
  json::array links;
  for (const auto& link : c.links) links.push_back(json::object{{"target", link.target}, {"name", link.name}});
  o["links"] = std::move(links);
  o["path_first"] = json::array(c.path_first.begin(), c.path_first.end());
  o["remote_logs"] = c.remote_logs;
  o["remote_results"] = c.remote_results;
  json::array inputs;
  for (const auto& input : c.inputs) inputs.push_back(json::object{{"path", input.path}, {"name", input.name}});
  o["inputs"] = std::move(inputs);
  if (c.image) {
    o["image"] = json::object{{"runtime", c.image->runtime},
                              {"image", c.image->image},
                              {"options", json::array(c.image->options.begin(), c.image->options.end())},
                              {"network", c.image->network},
                              {"pull", name(c.image->pull)}};
  }
  return o;
}

json::object encode(const Launch& c) {
  auto o = begin("launch", c.attempt);
  o["argv"] = json::array(c.argv.begin(), c.argv.end());
  json::object env;
  for (const auto& [name, value] : c.env) env[name] = value;
  o["env"] = std::move(env);
  if (!c.continued.empty()) o["continued"] = json::array(c.continued.begin(), c.continued.end());
  return o;
}

json::object encode(const Stop& c) {
  auto o = begin("stop", c.attempt);
  o["grace_ms"] = c.grace.count();
  return o;
}

json::object encode(const ReadLog& c) {
  auto o = begin("read_log", c.attempt);
  o["stream"] = name(c.stream);
  o["offset"] = static_cast<std::int64_t>(c.offset);
  o["limit"] = static_cast<std::int64_t>(c.limit);
  o["token"] = static_cast<std::int64_t>(c.token);
  return o;
}

json::object encode(const Release& c) {
  return begin("release", c.attempt);
}
json::object encode(const Shutdown&) {
  return {{"type", "shutdown"}};
}

// ---- decoders --------------------------------------------------------------------------------------------------

// A list of {FIRST: ..., "name": ...}; one that is not there is empty.
Result<std::vector<std::pair<std::string, std::string>>> pairs_of(const json::object& o, std::string_view key,
                                                                  std::string_view first) {
  std::vector<std::pair<std::string, std::string>> pairs;
  if (!o.contains(key)) return pairs;
  const auto list = json_array(o, key);
  if (!list) return fail(list.error());
  for (const auto& item : **list) {
    if (!item.is_object()) return fail(Errc::corrupt, fmt::format("'{}' holds what has no name", key));
    auto value = json_string(item.get_object(), first);
    auto name = json_string(item.get_object(), "name");
    if (!value) return fail(value.error());
    if (!name) return fail(name.error());
    pairs.emplace_back(*std::move(value), *std::move(name));
  }
  return pairs;
}

Result<Image> image_of(const json::object& o) {
  const auto object = json_object(o, "image");
  if (!object) return fail(object.error());
  auto runtime = json_string(**object, "runtime");
  auto image = json_string(**object, "image");
  auto options = strings_of(**object, "options");
  if (!runtime) return fail(runtime.error());
  if (!image) return fail(image.error());
  if (!options) return fail(options.error());
  if (*runtime != "podman" && *runtime != "docker")
    return fail(Errc::corrupt, fmt::format("'{}' runs no images", *runtime));
  Image run{*std::move(runtime), *std::move(image), *std::move(options)};
  run.network = json_string_or(**object, "network", run.network);
  const auto pull = json_string_or(**object, "pull", name(run.pull));
  for (const auto known : kPulls) {
    if (name(known) != pull) continue;
    run.pull = known;
    return run;
  }
  return fail(Errc::corrupt, fmt::format("'{}' does not say when an image is fetched", pull));
}

Result<HostGpus> host_gpus_of(const json::object& o) {
  const auto text = json_string_or(o, "host_gpus", name(HostGpus::hidden));
  for (const auto known : kHostGpus) {
    if (name(known) == text) return known;
  }
  return fail(Errc::corrupt, fmt::format("'host_gpus' has the unknown value '{}'", text));
}

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
  const auto host_gpus = host_gpus_of(o);
  if (!host_gpus) return fail(host_gpus.error());
  c.host_gpus = *host_gpus;
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
  auto links = pairs_of(o, "links", "target");
  if (!links) return fail(links.error());
  for (auto& [target, name] : *links) c.links.push_back({std::move(target), std::move(name)});
  if (o.contains("path_first")) {
    auto folders = strings_of(o, "path_first");
    if (!folders) return fail(folders.error());
    c.path_first = *std::move(folders);
  }
  c.remote_logs = json_string_or(o, "remote_logs", "");
  c.remote_results = json_string_or(o, "remote_results", "");
  auto inputs = pairs_of(o, "inputs", "path");
  if (!inputs) return fail(inputs.error());
  for (auto& [path, name] : *inputs) c.inputs.push_back({std::move(path), std::move(name)});
  if (o.contains("image")) {
    auto image = image_of(o);
    if (!image) return fail(image.error());
    c.image = *std::move(image);
  }
  return c;
}

Result<Command> decode_launch(const json::object& o, core::AttemptId attempt) {
  auto argv = strings_of(o, "argv");
  if (!argv) return fail(argv.error());
  if (argv->empty()) return fail(Errc::corrupt, "'argv' is empty");
  Launch c{std::move(attempt), *std::move(argv)};
  if (o.contains("continued")) {
    auto names = strings_of(o, "continued");
    if (!names) return fail(names.error());
    c.continued = *std::move(names);
  }
  const auto env = json_object(o, "env");
  if (!env) return fail(env.error());
  for (const auto& [name, value] : **env) {
    if (!value.is_string()) return fail(Errc::corrupt, "'env' holds what is no string");
    c.env.emplace(name, value.get_string());
  }
  return c;
}

Result<Command> decode_read_log(const json::object& o, core::AttemptId attempt) {
  const auto stream = json_string(o, "stream");
  if (!stream) return fail(stream.error());
  const auto offset = natural(o, "offset");
  const auto limit = natural(o, "limit");
  const auto token = natural(o, "token");
  for (const auto* field : {&offset, &limit, &token}) {
    if (!*field) return fail(field->error());
  }
  for (const auto known : {LogStream::standard_output, LogStream::standard_error}) {
    if (*stream == name(known)) return ReadLog{std::move(attempt), known, *offset, *limit, *token};
  }
  return fail(Errc::corrupt, fmt::format("'{}' is no log", *stream));
}

}  // namespace

std::string_view name(HostGpus gpus) {
  switch (gpus) {
    case HostGpus::hidden:
      return "hidden";
    case HostGpus::hidden_with_note:
      return "hidden_with_note";
    case HostGpus::visible:
      break;
  }
  return "visible";
}

std::string_view name(Image::Pull pull) {
  switch (pull) {
    case Image::Pull::missing:
      return "missing";
    case Image::Pull::always:
      return "always";
    case Image::Pull::never:
      break;
  }
  return "never";
}

std::string_view name(LogStream stream) {
  return stream == LogStream::standard_output ? "stdout" : "stderr";
}

json::object to_json(const Command& command) {
  return std::visit([](const auto& c) { return encode(c); }, command);
}

Result<Command> command_from_json(const json::object& o) {
  const auto type = json_string(o, "type");
  if (!type) return fail(type.error());
  if (*type == "shutdown") return Shutdown{};
  auto attempt = attempt_of(o);
  if (!attempt) return fail(attempt.error());
  if (*type == "prepare") return decode_prepare(o, *std::move(attempt));
  if (*type == "launch") return decode_launch(o, *std::move(attempt));
  if (*type == "read_log") return decode_read_log(o, *std::move(attempt));
  if (*type == "release") return Release{*std::move(attempt)};
  if (*type == "stop") {
    const auto grace = json_int(o, "grace_ms");  // a user may ask for weeks
    if (!grace) return fail(grace.error());
    if (*grace < 0) return fail(Errc::corrupt, fmt::format("'grace_ms' is out of range: {}", *grace));
    return Stop{*std::move(attempt), core::Millis(*grace)};
  }
  return fail(Errc::corrupt, fmt::format("'{}' is no command", *type));
}

}  // namespace ydl::protocol

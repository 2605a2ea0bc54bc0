#include "spec/write.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

namespace ydl::spec {
namespace {

namespace json = boost::json;

json::array list(std::span<const std::string> words) {
  json::array array;
  for (const auto& word : words) array.emplace_back(word);
  return array;
}

template <class T>
json::object map(const std::map<std::string, T>& entries) {
  json::object object;
  for (const auto& [key, value] : entries) object.emplace(key, value);
  return object;
}

template <class T>
void put_if_set(json::object& object, std::string_view key, const std::optional<T>& value) {
  if (value) object.emplace(key, *value);
}

json::object to_object(const Resources& resources) {
  json::object object;
  if (resources.memory) object.emplace("memory", exact_bytes(*resources.memory));
  put_if_set(object, "vcores", resources.vcores);
  put_if_set(object, "gpus", resources.gpus);
  put_if_set(object, "label", resources.label);
  if (!resources.hosts.empty()) object.emplace("hosts", list(resources.hosts));
  if (!resources.racks.empty()) object.emplace("racks", list(resources.racks));
  put_if_set(object, "placement", resources.placement);
  if (!resources.types.empty()) object.emplace("types", map(resources.types));
  return object;
}

json::object to_object(const Role& role) {
  json::object object;
  object.emplace("count", role.count);
  put_if_set(object, "kind", role.kind);
  if (!role.command.empty()) object.emplace("command", list(role.command));
  if (!role.env.empty()) object.emplace("env", map(role.env));
  if (auto resources = to_object(role.resources); !resources.empty()) object.emplace("resources", std::move(resources));
  put_if_set(object, "retries", role.retries);
  put_if_set(object, "restart", role.restart);
  put_if_set(object, "ports", role.ports);
  return object;
}

json::array to_array(const std::vector<FileRef>& files) {
  json::array array;
  for (const auto& file : files) {
    if (file.name.empty())
      array.emplace_back(file.source);
    else
      array.emplace_back(json::object{{"source", file.source}, {"name", file.name}});
  }
  return array;
}

void put_image(json::object& object, const Image& image) {
  object.emplace("image", image.name);
  put_if_set(object, "image_runtime", image.runtime);
  if (!image.mounts.empty()) object.emplace("image_mounts", list(image.mounts));
  put_if_set(object, "image_network", image.network);
  put_if_set(object, "image_pull", image.pull);
  if (!image.options.empty()) object.emplace("image_options", list(image.options));
  put_if_set(object, "image_entry_point", image.entry_point);
}

json::object timeouts(const JobSpec& job) {
  return {{"allocation", exact_duration(job.allocation_timeout)}, {"start", exact_duration(job.start_timeout)},
          {"rendezvous", exact_duration(job.rendezvous_timeout)}, {"run", exact_duration(job.run_timeout)},
          {"stop_grace", exact_duration(job.stop_grace)},         {"evaluator", exact_duration(job.evaluator_grace)}};
}

json::object to_object(const JobSpec& job) {
  json::object roles;
  for (const auto& role : job.roles) roles.emplace(role.name, to_object(role));
  json::object object;
  object.emplace("version", job.version);
  if (!job.name.empty()) object.emplace("name", job.name);
  object.emplace("framework", job.framework);
  if (!job.command.empty()) object.emplace("command", list(job.command));
  if (!job.env.empty()) object.emplace("env", map(job.env));
  object.emplace("roles", std::move(roles));
  if (!job.files.empty()) object.emplace("files", to_array(job.files));
  if (!job.archives.empty()) object.emplace("archives", to_array(job.archives));
  if (!job.inputs.empty()) object.emplace("inputs", to_array(job.inputs));
  object.emplace("auto_files", job.auto_files);
  if (job.files_limit) object.emplace("files_limit", exact_bytes(*job.files_limit));
  put_if_set(object, "directory", job.directory);
  put_if_set(object, "python", job.python);
  put_if_set(object, "python_env", job.python_env);
  if (job.image) put_image(object, *job.image);
  put_if_set(object, "queue", job.queue);
  put_if_set(object, "am", job.am);
  put_if_set(object, "priority", job.priority);
  if (auto master = to_object(job.am_resources); !master.empty()) object.emplace("am_resources", std::move(master));
  object.emplace("retries", job.retries);
  object.emplace("job_retries", job.job_retries);
  object.emplace("timeouts", timeouts(job));
  return object;
}

// Objects get a line for each key; everything else stays on one.
std::string indented(const json::value& value, std::size_t depth) {
  const auto* object = value.if_object();
  if (object == nullptr || object->empty()) return json::serialize(value);
  std::string text = "{";
  for (const auto& [key, member] : *object) {
    if (text.size() > 1) text += ',';
    text += fmt::format("\n{:{}}{}: {}", "", 2 * (depth + 1), json::serialize(key), indented(member, depth + 1));
  }
  return text + fmt::format("\n{:{}}}}", "", 2 * depth);
}

}  // namespace

std::string exact_bytes(std::uint64_t bytes) {
  struct Unit {
    unsigned shift;
    char name;
  };
  constexpr std::array kUnits{Unit{30, 'g'}, Unit{20, 'm'}, Unit{10, 'k'}, Unit{0, 'b'}};
  const auto* unit = std::ranges::find_if(kUnits, [&](const Unit& u) { return bytes >> u.shift << u.shift == bytes; });
  return fmt::format("{}{}", bytes >> unit->shift, unit->name);
}

std::string exact_duration(core::Millis duration) {
  struct Unit {
    std::int64_t millis;
    std::string_view name;
  };
  constexpr std::array kUnits{Unit{3'600'000, "h"}, Unit{60'000, "m"}, Unit{1'000, "s"}, Unit{1, "ms"}};
  if (duration.count() == 0) return "0s";
  const auto* unit = std::ranges::find_if(kUnits, [&](const Unit& u) { return duration.count() % u.millis == 0; });
  return fmt::format("{}{}", duration.count() / unit->millis, unit->name);
}

std::string to_json(const JobSpec& job) {
  return indented(to_object(job), 0) + "\n";
}

}  // namespace ydl::spec

#include "backend/yarn/yarn_job.hpp"

#include "core/json.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::backend {
namespace {

namespace json = boost::json;
using core::json_int_or;
using core::json_string_or;

constexpr int kVersion = 1;

json::object encode(const yarn::Resource& resource) {
  json::object object{{"memory_mib", resource.memory_mib}, {"vcores", resource.vcores}};
  for (const auto& [type, amount] : resource.others) object[type] = amount;
  return object;
}

yarn::Resource resource_of(const json::object& object, std::string_view key) {
  yarn::Resource resource;
  const auto found = core::json_object(object, key);
  if (!found) return resource;
  for (const auto& [type, amount] : **found) {
    if (!amount.is_int64()) continue;
    if (type == "memory_mib")
      resource.memory_mib = amount.get_int64();
    else if (type == "vcores")
      resource.vcores = amount.get_int64();
    else
      resource.others[type] = amount.get_int64();
  }
  return resource;
}

json::object encode(const yarn::NodeReport& node) {
  return {{"host", node.id.host},
          {"port", node.id.port},
          {"rack", node.rack},
          {"label", node.label},
          {"capability", encode(node.capability)},
          {"used", encode(node.used)}};
}

yarn::NodeReport node_of(const json::object& object) {
  yarn::NodeReport node;
  node.id = {json_string_or(object, "host", ""), static_cast<std::int32_t>(json_int_or(object, "port", 0))};
  node.rack = json_string_or(object, "rack", "");
  node.label = json_string_or(object, "label", "");
  node.capability = resource_of(object, "capability");
  node.used = resource_of(object, "used");
  return node;
}

json::object encode(const yarn::LocalResource& file) {
  return {{"url", file.url},
          {"size", static_cast<std::int64_t>(file.size)},
          {"modified", file.modified},
          {"archive", file.type == yarn::LocalResource::Type::archive},
          {"public", file.visibility == yarn::LocalResource::Visibility::everybody}};
}

yarn::LocalResource file_of(const json::object& object) {
  using Resource = yarn::LocalResource;
  Resource file;
  file.url = json_string_or(object, "url", "");
  file.size = static_cast<std::uint64_t>(json_int_or(object, "size", 0));
  file.modified = json_int_or(object, "modified", 0);
  file.type = core::json_bool_or(object, "archive", false) ? Resource::Type::archive : Resource::Type::file;
  file.visibility =
      core::json_bool_or(object, "public", false) ? Resource::Visibility::everybody : Resource::Visibility::user;
  return file;
}

json::object encode(const StagedJob& staged) {
  json::object files;
  for (const auto& [name, file] : staged.files) files[name] = encode(file);
  json::array links;
  for (const auto& link : staged.links) links.push_back(json::object{{"target", link.target}, {"name", link.name}});
  return {{"files", std::move(files)}, {"linked_directory", staged.linked_directory}, {"links", std::move(links)}};
}

StagedJob staged_of(const json::object& object) {
  StagedJob staged;
  staged.linked_directory = json_string_or(object, "linked_directory", "");
  if (const auto files = core::json_object(object, "files")) {
    for (const auto& [name, file] : **files) {
      if (file.is_object()) staged.files[name] = file_of(file.get_object());
    }
  }
  if (const auto links = core::json_array(object, "links")) {
    for (const auto& link : **links) {
      if (!link.is_object()) continue;
      staged.links.push_back(
          {json_string_or(link.get_object(), "target", ""), json_string_or(link.get_object(), "name", "")});
    }
  }
  return staged;
}

}  // namespace

std::string to_json(const YarnJob& job) {
  json::array nodes;
  for (const auto& node : job.nodes) nodes.push_back(encode(node));
  return json::serialize(json::object{{"version", kVersion},
                                      {"application", job.application},
                                      {"unmanaged", job.kind == MasterKind::unmanaged},
                                      {"user", job.user},
                                      {"queue", job.queue},
                                      {"scheduler", job.scheduler},
                                      {"folder", job.folder},
                                      {"folder_url", job.folder_url},
                                      {"results", job.results},
                                      {"staged", encode(job.staged)},
                                      {"nodes", std::move(nodes)},
                                      {"hadoop", core::to_json(job.hadoop)}}) +
         "\n";
}

core::Result<YarnJob> yarn_job_from_json(std::string_view text) {
  const auto object = core::parse_json_object(text);
  if (!object) return core::fail(object.error());
  const auto version = core::json_int(*object, "version");
  if (!version) return core::fail(version.error());
  if (*version > kVersion)
    return core::fail(core::Errc::refused, fmt::format("it is of version {}, this ydl knows {}", *version, kVersion));
  const auto folder = core::json_string(*object, "folder");
  if (!folder) return core::fail(folder.error());
  YarnJob job;
  job.application = json_string_or(*object, "application", "");
  job.kind = core::json_bool_or(*object, "unmanaged", false) ? MasterKind::unmanaged : MasterKind::managed;
  job.user = json_string_or(*object, "user", "");
  job.queue = json_string_or(*object, "queue", "");
  job.scheduler = json_string_or(*object, "scheduler", "");
  job.folder = *folder;
  job.folder_url = json_string_or(*object, "folder_url", "");
  job.results = json_string_or(*object, "results", *folder + "/results");
  if (const auto staged = core::json_object(*object, "staged")) job.staged = staged_of(**staged);
  if (const auto nodes = core::json_array(*object, "nodes")) {
    for (const auto& node : **nodes) {
      if (node.is_object()) job.nodes.push_back(node_of(node.get_object()));
    }
  }
  if (auto hadoop = core::json_strings(*object, "hadoop")) job.hadoop = *std::move(hadoop);
  return job;
}

std::string remote_logs(const std::string& folder, const core::AttemptId& attempt) {
  return fmt::format("{}/logs/{}/{}", folder, attempt.task.file_name(), attempt.attempt);
}

}  // namespace ydl::backend

#include "backend/yarn/yarn_job.hpp"

#include "core/described_json.hpp"

#include <fmt/format.h>

namespace ydl::core {

// {"memory_mib":1024,"vcores":1,"yarn.io/gpu":2}
template <>
struct JsonValue<yarn::Resource> {
  static boost::json::value write(const yarn::Resource& resource) {
    boost::json::object object{{"memory_mib", resource.memory_mib}, {"vcores", resource.vcores}};
    for (const auto& [type, amount] : resource.others) object[type] = amount;
    return object;
  }
  static Result<yarn::Resource> read(const boost::json::value& value) {
    auto amounts = JsonValue<std::map<std::string, std::int64_t>>::read(value);
    if (!amounts) return fail(amounts.error());
    for (const auto* key : {"memory_mib", "vcores"}) {
      if (!amounts->contains(key)) return fail(Errc::corrupt, fmt::format("must contain '{}'", key));
    }
    yarn::Resource resource;
    resource.memory_mib = amounts->extract("memory_mib").mapped();
    resource.vcores = amounts->extract("vcores").mapped();
    resource.others.insert(amounts->begin(), amounts->end());
    return resource;
  }
};

template <>
struct JsonValue<yarn::LocalResource> {
  using File = yarn::LocalResource;
  static boost::json::value write(const File& file) {
    return boost::json::object{{"url", file.url},
                               {"size", file.size},
                               {"modified", file.modified},
                               {"archive", file.type == File::Type::archive},
                               {"public", file.visibility == File::Visibility::everybody}};
  }
  static Result<File> read(const boost::json::value& value) {
    if (!value.is_object()) return fail(Errc::corrupt, "must be an object");
    const auto& object = value.get_object();
    File file;
    bool is_archive = false;
    bool is_public = false;
    for (const auto& read :
         {detail::read_member(object, "url", file.url), detail::read_member(object, "size", file.size),
          detail::read_member(object, "modified", file.modified), detail::read_member(object, "archive", is_archive),
          detail::read_member(object, "public", is_public)}) {
      if (!read) return fail(read.error());
    }
    file.type = is_archive ? File::Type::archive : File::Type::file;
    file.visibility = is_public ? File::Visibility::everybody : File::Visibility::user;
    return file;
  }
};

}  // namespace ydl::core

namespace ydl::backend {

BOOST_DESCRIBE_STRUCT(StagedLayer, (), (layer, source, hash, bytes, unpacked, files, found))
BOOST_DESCRIBE_STRUCT(StagedEnvironment, (), (packed, layers))
BOOST_DESCRIBE_STRUCT(StagedJob, (),
                      (files, linked_directory, links,
                       environment))  // the other members are for the user who submits the job

namespace {

constexpr int kVersion = 1;

struct NodeRecord {
  std::string host;
  std::int32_t port = 0;
  std::string rack;
  std::string label;
  yarn::Resource capability;
  yarn::Resource used;
};
BOOST_DESCRIBE_STRUCT(NodeRecord, (), (host, port, rack, label, capability, used))

// yarn.json
struct JobRecord {
  std::string application;
  bool unmanaged = false;
  std::string user;
  std::string queue;
  std::string scheduler;
  std::string folder;
  std::string folder_url;
  std::string results;
  StagedJob staged;
  std::vector<NodeRecord> nodes;
  std::map<std::string, std::string> hadoop;
};
BOOST_DESCRIBE_STRUCT(JobRecord, (),
                      (application, unmanaged, user, queue, scheduler, folder, folder_url, results, staged, nodes,
                       hadoop))

}  // namespace

std::string to_json(const YarnJob& job) {
  JobRecord record{.application = job.application,
                   .unmanaged = job.kind == MasterKind::unmanaged,
                   .user = job.user,
                   .queue = job.queue,
                   .scheduler = job.scheduler,
                   .folder = job.folder,
                   .folder_url = job.folder_url,
                   .results = job.results,
                   .staged = job.staged,
                   .nodes = {},
                   .hadoop = job.hadoop};
  for (const auto& node : job.nodes)
    record.nodes.push_back({node.id.host, node.id.port, node.rack, node.label, node.capability, node.used});
  return core::encode_record(kVersion, record) + "\n";
}

core::Result<YarnJob> yarn_job_from_json(std::string_view text) {
  auto record = core::decode_record<JobRecord>(kVersion, text);
  if (!record) return core::fail(record.error());
  YarnJob job{.application = std::move(record->application),
              .kind = record->unmanaged ? MasterKind::unmanaged : MasterKind::managed,
              .user = std::move(record->user),
              .queue = std::move(record->queue),
              .scheduler = std::move(record->scheduler),
              .folder = std::move(record->folder),
              .folder_url = std::move(record->folder_url),
              .results = std::move(record->results),
              .hadoop = std::move(record->hadoop),
              .nodes = {},
              .staged = std::move(record->staged)};
  for (auto& node : record->nodes) {
    auto& report = job.nodes.emplace_back();
    report.id = {std::move(node.host), node.port};
    report.rack = std::move(node.rack);
    report.label = std::move(node.label);
    report.capability = std::move(node.capability);
    report.used = std::move(node.used);
  }
  return job;
}

BOOST_DESCRIBE_STRUCT(YarnApplication, (), (application, hadoop))

core::Result<YarnApplication> yarn_application_from_json(std::string_view text) {
  const auto object = core::parse_json_object(text);
  if (!object) return core::fail(object.error());
  return core::from_json<YarnApplication>(*object);
}

std::string remote_logs(const std::string& folder, const core::AttemptId& attempt) {
  return fmt::format("{}/logs/{}/{}", folder, attempt.task.file_name(), attempt.attempt);
}

}  // namespace ydl::backend

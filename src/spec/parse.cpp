#include "spec/parse.hpp"

#include "core/strings.hpp"
#include "spec/document.hpp"
#include "spec/fields.hpp"
#include "spec/image_rules.hpp"
#include "spec/problems.hpp"
#include "spec/rules.hpp"

#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace ydl::spec {
namespace {

constexpr auto kSavedJobKeys =
    std::to_array<std::string_view>({"version",       "name",        "framework",     "command",
                                     "env",           "roles",       "files",         "archives",
                                     "inputs",        "files_limit", "auto_files",    "python",
                                     "python_env",    "image",       "image_runtime", "image_mounts",
                                     "image_network", "image_pull",  "image_options", "image_entry_point",
                                     "queue",         "am",          "priority",      "am_resources",
                                     "retries",       "job_retries", "timeouts",      "directory"});
constexpr auto kImageDetails = std::to_array<std::string_view>(
    {"image_runtime", "image_mounts", "image_network", "image_pull", "image_options", "image_entry_point"});
constexpr auto kJobKeys = std::span(kSavedJobKeys).first(kSavedJobKeys.size() - 1);  // all but the directory
constexpr std::array<std::string_view, 8> kRoleKeys{"count",     "kind",    "command", "env",
                                                    "resources", "retries", "restart", "ports"};
constexpr std::array<std::string_view, 6> kTimeoutKeys{"allocation", "start",      "rendezvous",
                                                       "run",        "stop_grace", "evaluator"};
constexpr std::array<std::string_view, 2> kFileKeys{"source", "name"};

core::Result<> check_version(const TreeNode& root, std::string_view file_name) {
  const auto refuse = [&](int line, std::string_view why) { return core::fail(problem_at(file_name, line, why)); };
  const Entry* entry = root.find("version");
  if (entry == nullptr) {
    return refuse(root.at.line, fmt::format("the version is missing; add 'version: {}' at the top", kVersion));
  }
  const TreeNode& value = entry->value;
  const auto version = core::parse_int<std::int64_t>(value.text);
  if (value.kind != NodeKind::scalar || value.quoted || !version || *version < 1) {
    return refuse(entry->at.line, fmt::format("version: this must be {}, not {}", kVersion, describe(value)));
  }
  if (*version > kVersion) {
    return refuse(entry->at.line,
                  fmt::format("this ydl reads version {}; the file says {}: a newer ydl wrote it", kVersion, *version));
  }
  return {};
}

std::map<std::string, int> read_types(const Fields& resources, const std::string& place) {
  const TreeNode* map = resources.map("types", "{yarn.io/fpga: 1}");
  if (map == nullptr) return {};
  std::vector<std::string_view> names;
  for (const auto& [name, at, value] : map->entries) names.push_back(name);
  const Fields fields(*map, "types of " + place, names, resources.problems());
  std::map<std::string, int> types;
  for (const auto& [name, at, value] : map->entries) {
    if (auto ok = check_resource_type(name); !ok) fields.complain(name, value, ok.error().message);
    if (const auto amount = fields.integer(name, kTypeRange)) types.emplace(name, *amount);
  }
  return types;
}

Resources read_resources(const Fields& role, const std::string& place) {
  const TreeNode* map = role.map("resources", "{memory: 2g, vcores: 1}");
  if (map == nullptr) return {};
  const Fields fields(*map, "resources of " + place, kResourceKeys, role.problems());
  return {.memory = fields.memory("memory"),
          .vcores = fields.integer("vcores", kVcoresRange),
          .gpus = fields.integer("gpus", kGpusRange),
          .label = fields.text("label", check_label),
          .hosts = fields.texts("hosts", check_host, "[node1, node2]"),
          .racks = fields.texts("racks", check_rack, "[/rack1]"),
          .placement = fields.text("placement", check_placement),
          .types = read_types(fields, place)};
}

Resources read_am_resources(const Fields& job) {
  const TreeNode* map = job.map("am_resources", "{memory: 512m}");
  if (map == nullptr) return {};
  const Fields fields(*map, "am_resources", kAmResourceKeys, job.problems());
  Resources resources;
  resources.memory = fields.memory("memory");
  resources.vcores = fields.integer("vcores", kVcoresRange);
  resources.label = fields.text("label", check_label);
  return resources;
}

Role read_role(const Entry& entry, Problems& problems) {
  const auto place = fmt::format("role {}", in_quotes(entry.key));
  const Fields fields(entry.value, place, kRoleKeys, problems);
  Role role;
  role.name = entry.key;
  role.count = fields.integer("count", kCountRange).value_or(role.count);
  role.kind = fields.text("kind", check_kind);
  role.command = fields.command("command");
  role.env = fields.env("env");
  role.resources = read_resources(fields, place);
  role.retries = fields.integer("retries", kRetriesRange);
  role.restart = fields.text("restart", check_restart);
  role.ports = fields.integer("ports", kPortsRange);
  return role;
}

// A command that is there but wrong has had its complaint already.
bool has_command(const TreeNode& map) {
  return map.find("command") != nullptr;
}

std::vector<Role> read_roles(const Fields& job) {
  const TreeNode* roles = job.map("roles", "{worker: {count: 2}}");
  if (roles == nullptr) {
    if (job.node().find("roles") == nullptr) {
      job.problems().add(job.node().at.line, "the roles are missing; add for example 'roles: {worker: {count: 2}}'");
    }
    return {};
  }
  if (roles->entries.empty() || roles->entries.size() > kMaxRoles) {
    job.complain("roles", *roles, fmt::format("a job has 1 to {} roles, not {}", kMaxRoles, roles->entries.size()));
    return {};
  }
  std::vector<Role> read;
  for (const auto& entry : roles->entries) {
    if (auto ok = check_role_name(entry.key); !ok) {
      job.problems().add(entry.at.line, ok.error().message);
    } else if (entry.value.kind != NodeKind::map) {
      job.problems().add(entry.at.line, fmt::format("role '{}' must be a mapping, for example {{count: 2}}, not {}",
                                                    entry.key, describe(entry.value)));
    } else if (!has_command(job.node()) && !has_command(entry.value)) {
      job.problems().add(entry.at.line, fmt::format("role '{}' has no command, and neither has the job; give one of "
                                                    "them a 'command'",
                                                    entry.key));
    } else {
      read.push_back(read_role(entry, job.problems()));
    }
  }
  return read;
}

std::optional<FileRef> read_file_ref(const std::string& key, const TreeNode& item, const Fields& job) {
  if (item.kind == NodeKind::scalar && is_text(item)) return FileRef{.source = item.text, .name = {}};
  if (item.kind != NodeKind::map) {
    job.complain(key, item, fmt::format("a file is a path or {{source: PATH, name: NAME}}, not {}", describe(item)));
    return std::nullopt;
  }
  const Fields fields(item, "a file", kFileKeys, job.problems());
  const auto source = fields.text("source", check_path);
  const auto name = fields.text("name", check_path);
  if (item.find("source") == nullptr) job.complain(key, item, "the 'source' of this file is missing");
  if (!source) return std::nullopt;
  return FileRef{.source = *source, .name = name.value_or("")};
}

// The names that files and archives have in the task, and the lines they stand on.
using NameLines = std::map<std::string, int>;

using CheckFile = core::Result<> (*)(const FileRef&);

std::vector<FileRef> read_files(const Fields& job, const std::string& key, std::string_view example, NameLines& lines,
                                CheckFile check = check_file) {
  const TreeNode* list = job.sequence(key, example);
  if (list == nullptr) return {};
  if (list->items.size() > kMaxFiles) {
    job.complain(key, *list, fmt::format("a job names at most {} files; put them into a folder", kMaxFiles));
    return {};
  }
  std::vector<FileRef> files;
  for (const auto& item : list->items) {
    auto file = read_file_ref(key, item, job);
    if (!file) continue;
    if (auto ok = check(*file); !ok) {
      job.complain(key, item, ok.error().message);
      continue;
    }
    const auto [first, is_new] = lines.try_emplace(name_in_task(*file), item.at.line);
    if (!is_new) {
      job.complain(key, item,
                   fmt::format("the name {} in the task is taken by the file on line {}; give one of them "
                               "another 'name'",
                               in_quotes(first->first), first->second));
      continue;
    }
    files.push_back(std::move(*file));
  }
  return files;
}

std::optional<Image> read_image(const Fields& job) {
  Image image;
  image.runtime = job.text("image_runtime", check_image_runtime);
  image.mounts = job.texts("image_mounts", check_image_mount, "[/data:/data:ro]");
  image.network = job.text("image_network", check_image_network);
  image.pull = job.text("image_pull", check_image_pull);
  image.options = job.texts("image_options", check_image_option, "[--shm-size=1g]");
  image.entry_point = job.boolean("image_entry_point");
  if (const auto name = job.text("image", check_image_name)) {
    image.name = *name;
    return image;
  }
  for (const auto key : kImageDetails) {
    const Entry* detail = job.node().find(key);
    if (detail == nullptr || job.node().find("image") != nullptr) continue;
    job.complain(key, detail->value, "there is no image to use it with; add 'image: NAME' or remove this key");
  }
  return std::nullopt;
}

JobSpec with_timeouts(JobSpec spec, const Fields& job) {
  const TreeNode* map = job.map("timeouts", "{allocation: 5m, run: 12h}");
  if (map == nullptr) return spec;
  const Fields fields(*map, "timeouts", kTimeoutKeys, job.problems());
  spec.allocation_timeout = fields.duration("allocation", Zero::refused).value_or(spec.allocation_timeout);
  spec.start_timeout = fields.duration("start", Zero::refused).value_or(spec.start_timeout);
  spec.rendezvous_timeout = fields.duration("rendezvous", Zero::refused).value_or(spec.rendezvous_timeout);
  spec.run_timeout = fields.duration("run", Zero::allowed).value_or(spec.run_timeout);
  spec.stop_grace = fields.duration("stop_grace", Zero::allowed).value_or(spec.stop_grace);
  spec.evaluator_grace = fields.duration("evaluator", Zero::allowed).value_or(spec.evaluator_grace);
  return spec;
}

JobSpec read_job(const Fields& fields) {
  JobSpec spec;
  spec.name = fields.text("name", check_job_name).value_or(spec.name);
  spec.framework = fields.text("framework", check_framework).value_or(spec.framework);
  spec.command = fields.command("command");
  spec.env = fields.env("env");
  spec.roles = read_roles(fields);
  NameLines names;
  spec.files = read_files(fields, "files", "[data/train.bin]", names);
  spec.archives = read_files(fields, "archives", "[{source: data.tar.gz, name: data}]", names);
  spec.inputs = read_files(fields, "inputs", "[{source: 'hdfs:///data/train', name: train}]", names, check_input);
  spec.files_limit = fields.memory("files_limit");
  spec.auto_files = fields.boolean("auto_files").value_or(spec.auto_files);
  spec.directory = fields.text("directory", check_path);
  spec.python = fields.text("python", check_path);
  spec.python_env = fields.text("python_env", check_path);
  if (spec.python && spec.python_env)
    fields.complain("python_env", fields.node(), "python names an interpreter already; give one of the two");
  spec.image = read_image(fields);
  if (spec.image && spec.python_env)
    fields.complain("python_env", fields.node(), "the image brings its own Python; give one of the two");
  spec.queue = fields.text("queue", check_queue);
  spec.am = fields.text("am", check_am);
  spec.priority = fields.integer("priority", kPriorityRange);
  spec.am_resources = read_am_resources(fields);
  spec.retries = fields.integer("retries", kRetriesRange).value_or(spec.retries);
  spec.job_retries = fields.integer("job_retries", kRetriesRange).value_or(spec.job_retries);
  return with_timeouts(std::move(spec), fields);
}

core::Result<JobSpec> parse(std::string_view text, std::string_view file_name,
                            std::span<const std::string_view> known) {
  const auto root = parse_document(text, file_name);
  if (!root) return core::fail(root.error());
  if (root->kind == NodeKind::null) return core::fail(problem_at(file_name, 1, "the file is empty"));
  if (root->kind != NodeKind::map) {
    return core::fail(problem_at(file_name, root->at.line,
                                 fmt::format("a job file is a mapping that begins with "
                                             "'version: {}', not {}",
                                             kVersion, describe(*root))));
  }
  if (auto ok = check_version(*root, file_name); !ok) return core::fail(std::move(ok.error()));

  Problems problems(file_name);
  const Fields fields(*root, "", known, problems);
  JobSpec spec = read_job(fields);
  if (!problems.empty()) return core::fail(problems.to_error());
  return spec;
}

}  // namespace

core::Result<JobSpec> parse_job(std::string_view text, std::string_view file_name) {
  return parse(text, file_name, kJobKeys);
}

core::Result<JobSpec> parse_saved_job(std::string_view text, std::string_view file_name) {
  return parse(text, file_name, kSavedJobKeys);
}

}  // namespace ydl::spec

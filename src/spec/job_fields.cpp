#include "spec/job_fields.hpp"

#include "spec/file_fields.hpp"
#include "spec/image_rules.hpp"
#include "spec/role_fields.hpp"

#include <fmt/format.h>

namespace ydl::spec {
namespace {

// ---- resources

std::map<std::string, int> read_types(const Fields& resources) {
  const TreeNode* map = resources.map("types", "{yarn.io/fpga: 1}");
  if (map == nullptr) return {};
  std::vector<std::string_view> names;
  for (const auto& [name, at, value] : map->entries) names.push_back(name);
  constexpr std::string_view kOf = "resources of ";
  const Fields fields(*map, "types of " + resources.place().substr(kOf.size()), names, resources.problems());
  std::map<std::string, int> types;
  for (const auto& [name, at, value] : map->entries) {
    if (auto ok = check_resource_type(name); !ok) fields.complain(name, value, ok.error().message);
    if (const auto amount = fields.integer(name, kTypeRange)) types.emplace(name, *amount);
  }
  return types;
}

core::Result<> check_types(const std::map<std::string, int>& types) {
  for (const auto& [type, amount] : types) {
    if (auto ok = check_resource_type(type); !ok) return ok;
    if (auto ok = check_range(amount, kTypeRange); !ok) return core::fail(ok.error().within(type));
  }
  return {};
}

// ---- the image, whose details are keys of the job

const FieldTable<Image>& image_fields() {
  static const FieldTable<Image> kFields{text("image_runtime", &Image::runtime, check_image_runtime),
                                         texts("image_mounts", &Image::mounts, check_image_mount, "[/data:/data:ro]"),
                                         text("image_network", &Image::network, check_image_network),
                                         text("image_pull", &Image::pull, check_image_pull),
                                         texts("image_options", &Image::options, check_image_option, "[--shm-size=1g]"),
                                         boolean("image_entry_point", &Image::entry_point)};
  return kFields;
}

Field<JobSpec> image_name() {
  return {"image",
          [](const Fields& fields, JobSpec& job) {
            if (auto name = fields.text("image", check_image_name)) job.image.emplace().name = *std::move(name);
          },
          [](const JobSpec& job, boost::json::object& object) {
            if (job.image) object.emplace("image", job.image->name);
          },
          [](const JobSpec& job) { return job.image ? check_image_name(job.image->name) : core::Result<>(); }};
}

Field<JobSpec> image_detail(const Field<Image>& detail) {
  return {detail.key,
          [detail](const Fields& fields, JobSpec& job) {
            Image without_name;
            detail.read(fields, job.image ? *job.image : without_name);
            const Entry* entry = fields.node().find(detail.key);
            if (entry == nullptr || fields.node().find("image") != nullptr) return;
            fields.complain(detail.key, entry->value, "the job has no image; add 'image: NAME' or remove this key");
          },
          [detail](const JobSpec& job, boost::json::object& object) {
            if (job.image) detail.write(*job.image, object);
          },
          [detail](const JobSpec& job) { return job.image ? detail.check(*job.image) : core::Result<>(); }};
}

// ---- times

const FieldTable<JobSpec>& timeout_fields() {
  static const FieldTable<JobSpec> kFields{duration("allocation", &JobSpec::allocation_timeout, Zero::refused),
                                           duration("start", &JobSpec::start_timeout, Zero::refused),
                                           duration("rendezvous", &JobSpec::rendezvous_timeout, Zero::refused),
                                           duration("run", &JobSpec::run_timeout, Zero::allowed),
                                           duration("stop_grace", &JobSpec::stop_grace, Zero::allowed),
                                           duration("evaluator", &JobSpec::evaluator_grace, Zero::allowed),
                                           duration("stall", &JobSpec::stall_timeout, Zero::refused),
                                           duration("orphan", &JobSpec::orphan_timeout, Zero::refused),
                                           duration("blind", &JobSpec::blind_timeout, Zero::refused)};
  return kFields;
}

Field<JobSpec> timeouts() {
  return {"timeouts",
          [](const Fields& job, JobSpec& spec) {
            const TreeNode* map = job.map("timeouts", "{allocation: 5m, run: 12h}");
            if (map == nullptr) return;
            const auto keys = keys_of(timeout_fields());
            read_fields(timeout_fields(), Fields(*map, "timeouts", keys, job.problems()), spec);
          },
          [](const JobSpec& spec, boost::json::object& object) {
            object.emplace("timeouts", write_fields(timeout_fields(), spec));
          },
          [](const JobSpec& spec) { return check_fields(timeout_fields(), spec); }};
}

Field<JobSpec> am_resources() {
  return {"am_resources",
          [](const Fields& job, JobSpec& spec) {
            const TreeNode* map = job.map("am_resources", "{memory: 512m}");
            if (map == nullptr) return;
            const auto keys = keys_of(am_resource_fields());
            read_fields(am_resource_fields(), Fields(*map, "am_resources", keys, job.problems()), spec.am_resources);
          },
          [](const JobSpec& spec, boost::json::object& object) {
            auto written = write_fields(am_resource_fields(), spec.am_resources);
            if (!written.empty()) object.emplace("am_resources", std::move(written));
          },
          [](const JobSpec& spec) { return check_am_resources(spec.am_resources); }};
}

const FieldTable<Acl>& acl_fields() {
  static const FieldTable<Acl> kFields{text("view", &Acl::view, check_access_list),
                                       text("modify", &Acl::modify, check_access_list)};
  return kFields;
}

Field<JobSpec> acl() {
  return {"acl",
          [](const Fields& job, JobSpec& spec) {
            const TreeNode* map = job.map("acl", "{view: \"alice,bob ml-team\"}");
            if (map == nullptr) return;
            const auto keys = keys_of(acl_fields());
            read_fields(acl_fields(), Fields(*map, "acl", keys, job.problems()), spec.acl);
          },
          [](const JobSpec& spec, boost::json::object& object) {
            auto written = write_fields(acl_fields(), spec.acl);
            if (!written.empty()) object.emplace("acl", std::move(written));
          },
          [](const JobSpec& spec) { return check_fields(acl_fields(), spec.acl); }};
}

// ---- hosts to be avoided

const FieldTable<Blacklist>& blacklist_fields() {
  static const FieldTable<Blacklist> kFields{text("mode", &Blacklist::mode, check_blacklist_mode),
                                             integer("failures", &Blacklist::failures, kHostFailuresRange),
                                             duration("forget", &Blacklist::forget, Zero::refused)};
  return kFields;
}

// A mapping, or only its mode.
Field<JobSpec> blacklist() {
  return {"blacklist",
          [](const Fields& job, JobSpec& spec) {
            const Entry* entry = job.node().find("blacklist");
            if (entry != nullptr && entry->value.kind == NodeKind::scalar) {
              if (auto mode = job.text("blacklist", check_blacklist_mode)) spec.blacklist.mode = *std::move(mode);
              return;
            }
            const TreeNode* map = job.map("blacklist", "{mode: decay, failures: 2, forget: 1h}");
            if (map == nullptr) return;
            const auto keys = keys_of(blacklist_fields());
            read_fields(blacklist_fields(), Fields(*map, "blacklist", keys, job.problems()), spec.blacklist);
          },
          [](const JobSpec& spec, boost::json::object& object) {
            object.emplace("blacklist", write_fields(blacklist_fields(), spec.blacklist));
          },
          [](const JobSpec& spec) { return check_fields(blacklist_fields(), spec.blacklist); }};
}

}  // namespace

const FieldTable<Resources>& resource_fields() {
  static const FieldTable<Resources> kFields{
      memory("memory", &Resources::memory),
      integer("vcores", &Resources::vcores, kVcoresRange),
      integer("gpus", &Resources::gpus, kGpusRange),
      text("label", &Resources::label, check_label),
      texts("hosts", &Resources::hosts, check_host, "[node1, node2]"),
      texts("racks", &Resources::racks, check_rack, "[/rack1]"),
      text("placement", &Resources::placement, check_placement),
      detail::container("types", &Resources::types, read_types, detail::map<int>, check_types)};
  return kFields;
}

const FieldTable<Resources>& am_resource_fields() {
  static const FieldTable<Resources> kFields{memory("memory", &Resources::memory),
                                             integer("vcores", &Resources::vcores, kVcoresRange),
                                             text("label", &Resources::label, check_label)};
  return kFields;
}

const FieldTable<JobSpec>& job_fields() {
  static const FieldTable<JobSpec> kFields = [] {
    FieldTable<JobSpec> fields{text_if_any("name", &JobSpec::name, check_job_name),
                               text("framework", &JobSpec::framework, check_framework),
                               command("command", &JobSpec::command),
                               env("env", &JobSpec::env),
                               roles_field(),
                               files_field(),
                               archives_field(),
                               inputs_field(),
                               texts("name_nodes", &JobSpec::name_nodes, check_name_node, "[hdfs://other]"),
                               memory("files_limit", &JobSpec::files_limit),
                               boolean("auto_files", &JobSpec::auto_files),
                               text("directory", &JobSpec::directory, check_path),
                               text("python", &JobSpec::python, check_path),
                               text("python_env", &JobSpec::python_env, check_path),
                               text("python_version", &JobSpec::python_version, check_python_version),
                               texts("pip_packages", &JobSpec::pip_packages, check_pip_package, "[lightgbm, scipy<2]"),
                               text("requirements", &JobSpec::requirements, check_path),
                               image_name()};
    for (const auto& detail : image_fields()) fields.push_back(image_detail(detail));
    for (auto& field : FieldTable<JobSpec>{
             text("queue", &JobSpec::queue, check_queue), text("am", &JobSpec::am, check_am),
             integer("priority", &JobSpec::priority, kPriorityRange), am_resources(), acl(),
             integer("retries", &JobSpec::retries, kRetriesRange),
             integer("job_retries", &JobSpec::job_retries, kRetriesRange), boolean("fail_fast", &JobSpec::fail_fast),
             blacklist(), duration("save_every", &JobSpec::save_every, Zero::refused),
             duration("grow_every", &JobSpec::grow_every, Zero::refused),
             text("restore_from", &JobSpec::restore_from, check_job_reference), timeouts()})
      fields.push_back(std::move(field));
    return fields;
  }();
  return kFields;
}

}  // namespace ydl::spec

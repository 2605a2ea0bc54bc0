#include "cli/args/cluster_options.hpp"

#include "core/strings.hpp"
#include "spec/rules.hpp"

#include <fmt/format.h>

namespace ydl::cli {

using core::Errc;
using core::fail;

core::Result<spec::JobSpec> with_cluster_options(spec::JobSpec job, const ClusterOptions& options) {
  if (!options.queue.empty()) {
    if (auto ok = spec::check_queue(options.queue); !ok) return fail(ok.error().within("--queue"));
    job.queue = options.queue;
  }
  if (!options.am.empty()) {
    if (auto ok = spec::check_am(options.am); !ok) return fail(ok.error().within("--am"));
    job.am = options.am;
  }
  if (!options.priority.empty()) {
    const auto value = core::parse_int<int>(options.priority);
    if (!value || !spec::check_range(*value, spec::kPriorityRange)) {
      return fail(Errc::usage,
                  fmt::format("--priority {}: this must be a whole number from {} to {}; higher is more "
                              "important",
                              core::printable(options.priority), spec::kPriorityRange.min, spec::kPriorityRange.max));
    }
    job.priority = value;
  }
  for (const auto& url : options.name_nodes) {
    if (auto ok = spec::check_name_node(url); !ok) return fail(ok.error().within("--name-node"));
    job.name_nodes.push_back(url);
  }
  if (!options.acl_view.empty()) {
    if (auto ok = spec::check_access_list(options.acl_view); !ok) return fail(ok.error().within("--acl-view"));
    job.acl.view = options.acl_view;
  }
  if (!options.acl_modify.empty()) {
    if (auto ok = spec::check_access_list(options.acl_modify); !ok) return fail(ok.error().within("--acl-modify"));
    job.acl.modify = options.acl_modify;
  }
  return with_image(std::move(job), options.image);
}

std::vector<std::string> cluster_only(const spec::JobSpec& job, Spelling spelling) {
  std::vector<std::string> found;
  const auto is_option = spelling == Spelling::as_options;
  const auto add = [&](bool is_there, std::string_view option, std::string_view key) {
    if (is_there) found.emplace_back(is_option ? option : key);
  };
  add(job.queue.has_value(), "--queue", "queue");
  add(job.am.has_value(), "--am", "am");
  add(job.priority.has_value(), "--priority", "priority");
  add(job.am_resources != spec::Resources{}, "--resource am:…", "am_resources");
  add(job.acl.view.has_value(), "--acl-view", "acl: view");
  add(job.acl.modify.has_value(), "--acl-modify", "acl: modify");
  add(!job.inputs.empty(), "--input", "inputs");
  add(!job.name_nodes.empty(), "--name-node", "name_nodes");
  for (const auto& role : job.roles) {
    const auto& asked = role.resources;
    const auto add_of_role = [&](std::string_view key, const std::string& value) {
      found.push_back(fmt::format("{}={} of role {}", key, value, role.name));
    };
    if (asked.label) add_of_role("label", *asked.label);
    if (!asked.hosts.empty()) add_of_role("hosts", core::join(asked.hosts, "+"));
    if (!asked.racks.empty()) add_of_role("racks", core::join(asked.racks, "+"));
    if (asked.placement) add_of_role("placement", *asked.placement);
    for (const auto& [type, amount] : asked.types) add_of_role("types." + type, std::to_string(amount));
  }
  return found;
}

}  // namespace ydl::cli

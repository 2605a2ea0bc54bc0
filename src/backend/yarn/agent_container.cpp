#include "backend/yarn/agent_container.hpp"

#include "backend/packing/python_env.hpp"
#include "core/strings.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::backend {

protocol::Prepare prepare_in_container(const TaskRequest& request, const YarnJob& job) {
  protocol::Prepare prepare;
  prepare.attempt = request.attempt;
  prepare.ports = request.ports;
  prepare.port_range = request.port_range;
  prepare.same_ports = request.same_ports;
  prepare.scheduler = request.scheduler;
  prepare.stall_timeout = request.stall_timeout;
  prepare.gpus = request.gpus;  // the NodeManager enforces memory and vcores for the container
  prepare.host_gpus = request.host_gpus;
  prepare.inputs = request.inputs;
  prepare.image = request.image;
  prepare.working_directory = "task";
  prepare.results_directory = "results";
  prepare.log_directory = ".";
  prepare.linked_directory = job.staged.linked_directory;
  prepare.links = job.staged.links;
  const auto is_link = [](const protocol::Link& link) { return link.name == kPythonEnvLink; };
  const auto& environment = job.staged.environment;
  if (environment) prepare.packed = environment->packed;
  if (environment && !environment->packed.python_path.empty())
    prepare.path_first.push_back(fmt::format("{}/bin", kPythonPackagesLink));
  if (environment || std::ranges::any_of(job.staged.links, is_link))
    prepare.path_first.emplace_back(kPythonEnvPrograms);
  prepare.remote_logs = remote_logs(job.folder, request.attempt);
  const auto folders_of = [&](const core::TaskId& task) -> protocol::Restorable {
    return {fmt::format("{}/saves/{}", job.folder, task.file_name()),
            fmt::format("{}/{}", job.results, task.file_name())};
  };
  const auto own = folders_of(request.attempt.task);
  prepare.remote_results = own.results;
  prepare.remote_saves = own.saves;
  prepare.save_every = request.save_every;
  for (const auto& task : request.continues_tasks) prepare.restore.push_back(folders_of(task));
  prepare.restore.insert(prepare.restore.end(), request.continues_folders.begin(), request.continues_folders.end());
  return prepare;
}

std::string container_name(const yarn::Container& container) {
  return fmt::format("{}@{}/{}", container.id.str(), container.node.str(), container.node_http_address);
}

core::Result<yarn::Container> parse_container_name(std::string_view text) {
  const auto corrupt = [&] {
    return core::fail(core::Errc::corrupt, fmt::format("'{}' is not the name of a container", core::printable(text)));
  };
  const auto at = text.find('@');
  const auto slash = text.find('/');
  if (at == text.npos || slash == text.npos || slash < at) return corrupt();
  const auto node = text.substr(at + 1, slash - at - 1);
  const auto colon = node.rfind(':');
  if (colon == node.npos) return corrupt();
  const auto id = yarn::ContainerId::parse(text.substr(0, at));
  const auto port = core::parse_int<std::int32_t>(node.substr(colon + 1));
  if (!id || !port) return corrupt();
  return yarn::Container{.id = *id,
                         .node = {std::string(node.substr(0, colon)), *port},
                         .node_http_address = std::string(text.substr(slash + 1))};
}

yarn::Launch launch_agent(const yarn::ContainerId& id, const AgentContainers& containers) {
  yarn::Launch launch;
  const auto& image = containers.image;
  const bool is_linked = !image || image->start == yarn::ImageRuntime::Start::script;
  launch.command = {fmt::format("{}/{}", is_linked ? "." : yarn::kImageFiles, kStagedProgram),
                    "__agent",
                    "--id",
                    id.str(),
                    "--outlives-master",
                    std::to_string(containers.outlives_master.count())};
  launch.log_name = "agent.stderr";  // if a container fails, NodeManagers quote the end of files with such names
  launch.expanded_environment["YDL_LOG_DIR"] = "<LOG_DIR>";  // in the command it would be quoted
  launch.image = image;
  if (image) launch.command.insert(launch.command.end(), {"--expect-image", image->image});
  if (!is_linked) launch.command.insert(launch.command.end(), {"--files", std::string(yarn::kImageFiles)});
  launch.files = containers.files;
  launch.viewers = containers.acl.view;
  launch.modifiers = containers.acl.modify;
  return launch;
}

}  // namespace ydl::backend

#include "agent/resources/task_resources.hpp"

#include "core/log.hpp"
#include "core/strings.hpp"

#include <fmt/format.h>

namespace ydl::agent {

TaskResources::~TaskResources() {
  machine_.release(gpus_);
  if (cgroup_ && !cgroup_->remove())
    core::log("the cgroup of {} is still busy; a later agent removes it", attempt_.str());
}

net::Async<> TaskResources::take_gpus(int count) {
  const auto pool = co_await machine_.gpus();
  if (!pool) co_return core::fail(pool.error());
  auto gpus = (*pool)->allocate(static_cast<std::size_t>(count));
  if (!gpus) {
    const auto holders = (*pool)->holders();
    co_return core::fail(
        core::Errc::no_capacity,
        fmt::format("it requests {}, but of the {} of this machine only {} are free: other tasks or jobs of "
                    "ydl use the rest{}",
                    core::plural(count, "GPU"), (*pool)->size(), (*pool)->available(),
                    holders.empty() ? "" : fmt::format(" ({})", core::join(holders, "; "))));
  }
  gpus_ = *std::move(gpus);
  co_return core::Result<>{};
}

core::Result<void> TaskResources::take_ports_and_limits(const protocol::Prepare& request, const std::string& job) {
  std::optional<PortRange> range;
  if (request.port_range) range = PortRange{request.port_range->first, request.port_range->second};
  auto ports =
      request.same_ports.empty() ? HeldPorts::hold(request.ports, range) : HeldPorts::hold_again(request.same_ports);
  if (!ports) return core::fail(ports.error());
  ports_ = *std::move(ports);

  if (request.memory_limit == 0 && request.vcores_limit == 0) return {};
  CgroupLimits limits;
  if (request.memory_limit > 0) limits.memory_bytes = request.memory_limit;
  if (request.vcores_limit > 0) limits.vcores = request.vcores_limit;
  const auto name = Cgroups::name_for(job, attempt_.task.file_name(), attempt_.attempt);
  // If the system does not allow limits, the task runs without them.
  if (auto made = machine_.cgroups().create(name, limits))
    cgroup_ = *std::move(made);
  else
    core::log("{} runs without limits: {}", attempt_.str(), made.error().message);
  return {};
}

}  // namespace ydl::agent

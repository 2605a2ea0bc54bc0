#include "master/job_image.hpp"

#include "spec/image_rules.hpp"

#include <fmt/format.h>

namespace ydl::master {
namespace {

bool is_run_by_agent(const spec::Image& image) {
  return image.runtime && *image.runtime != "nodemanager";
}

protocol::Image::Pull pull_of(const spec::Image& image) {
  if (image.pull == "always") return protocol::Image::Pull::always;
  return image.pull == "never" ? protocol::Image::Pull::never : protocol::Image::Pull::missing;
}

}  // namespace

std::optional<protocol::Image> image_for_agent(const spec::JobSpec& job) {
  if (!job.image || !is_run_by_agent(*job.image)) return std::nullopt;
  protocol::Image image{*job.image->runtime, job.image->name};
  for (const auto& text : job.image->mounts) {
    const auto mount = spec::split_mount(text);
    image.options.push_back(
        fmt::format("--volume={}:{}:{}", mount.source, mount.target, mount.read_only ? "ro" : "rw"));
  }
  if (!job.image->entry_point.value_or(true)) image.options.emplace_back("--entrypoint=");
  image.options.insert(image.options.end(), job.image->options.begin(), job.image->options.end());
  if (job.image->network) image.network = *job.image->network;
  image.pull = pull_of(*job.image);
  return image;
}

std::optional<yarn::ImageRuntime> image_for_node_manager(const spec::JobSpec& job) {
  if (!job.image || is_run_by_agent(*job.image)) return std::nullopt;
  yarn::ImageRuntime runtime{.image = job.image->name};
  for (const auto& text : job.image->mounts) {
    auto mount = spec::split_mount(text);
    runtime.mounts.push_back({std::move(mount.source), std::move(mount.target), mount.read_only});
  }
  runtime.network = job.image->network.value_or("");
  if (job.image->entry_point.value_or(false)) runtime.start = yarn::ImageRuntime::Start::entry_point;
  return runtime;
}

}  // namespace ydl::master

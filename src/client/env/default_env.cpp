#include "client/env/default_env.hpp"

#include "client/env/mxnet_environment.hpp"
#include "core/strings.hpp"
#include "master/plan.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::client {
namespace {

// The line for tools/setup/python_env.sh says it to us too.
std::string python_of_lock() {
  constexpr std::string_view kDirective = "#: python ";
  for (const auto line : core::split(kMxnetLock, '\n')) {
    if (line.starts_with(kDirective)) return std::string(core::trim(line.substr(kDirective.size())));
  }
  return {};
}

}  // namespace

bool wants_default_env(const spec::JobSpec& job) {
  if (job.framework != "mxnet" || job.python || job.python_env || job.image) return false;
  return std::ranges::any_of(job.roles, [&](const spec::Role& role) {
    return master::script_in(role.command.empty() ? job.command : role.command).has_value();
  });
}

core::Result<backend::PythonEnv> default_python_env(const SayLine& say) {
  const auto cache = user_cache();
  if (!cache) return core::fail(cache.error());
  const auto folder =
      build_locked_env({std::string(kDefaultEnv), python_of_lock(), std::string(kMxnetLock)}, *cache, say);
  if (!folder) {
    return core::fail(folder.error().code,
                      fmt::format("the job names no Python, and an environment with MXNet cannot be made for it: {}; "
                                  "--python python3 takes what the nodes have, --python-env ships one of yours",
                                  folder.error().message));
  }
  return env_in_folder(*folder, *cache);
}

}  // namespace ydl::client

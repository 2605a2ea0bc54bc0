#include "client/env/default_env.hpp"

#include "client/env/env_build.hpp"
#include "client/env/submitting_python.hpp"
#include "core/strings.hpp"
#include "master/plan.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::client {

// The same line also controls tools/setup/python_env.sh.
std::string python_of_lock(std::string_view lock) {
  constexpr std::string_view kDirective = "#: python ";
  for (const auto line : core::split(lock, '\n')) {
    if (line.starts_with(kDirective)) return std::string(core::trim(line.substr(kDirective.size())));
  }
  return {};
}

std::optional<framework::DefaultEnvironment> default_env_of(const spec::JobSpec& job) {
  const auto framework = framework::find(job.framework);
  if (!framework || job.python || has_python_env(job) || job.image) return std::nullopt;
  const bool runs_script = std::ranges::any_of(job.roles, [&](const spec::Role& role) {
    return master::script_in(role.command.empty() ? job.command : role.command).has_value();
  });
  return runs_script ? (*framework)->default_environment() : std::nullopt;
}

core::Result<backend::PythonEnv> default_python_env(const framework::DefaultEnvironment& environment,
                                                    const SayLine& say) {
  const auto cache = user_cache();
  if (!cache) return core::fail(cache.error());
  const auto here = find_submitting_python({});
  EnvRequest request{.name = std::string(environment.name),
                     .python = python_of_lock(environment.lock),
                     .requirements = {},
                     .lock = std::string(environment.lock),
                     .submitting = std::nullopt};
  if (here && *here) request.submitting = (*here)->python;
  const auto built = build_python_env(request, *cache, say);
  if (!built) {
    return core::fail(built.error().code,
                      fmt::format("the job names no Python, and the environment {} cannot be built for it: {}; "
                                  "--python python3 uses the Python of the nodes, --python-env uploads one of yours",
                                  environment.name, built.error().message));
  }
  return built_env(*built, request.name, *cache);
}

}  // namespace ydl::client

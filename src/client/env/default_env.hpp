#pragma once

#include "backend/packing/python_env.hpp"
#include "client/env/python_env.hpp"
#include "core/result.hpp"
#include "spec/job_spec.hpp"

#include <string_view>

// The Python environment that travels with an MXNet job which names none: the release that ydl is tested with, every
// package of it pinned. Nodes rarely have MXNet, and nobody builds it twice.
namespace ydl::client {

inline constexpr std::string_view kDefaultEnv = "MXNet 1.9.1 (ydl's default)";

// Whether a job that goes to a cluster needs it: an MXNet job with a Python script, and no word about which Python.
[[nodiscard]] bool wants_default_env(const spec::JobSpec& job);

// Built with uv from the lock that is part of this program, once, and kept in the user's cache.
// Errors: uv is missing or fails; they say what to name instead.
[[nodiscard]] core::Result<backend::PythonEnv> default_python_env(const SayLine& say);

}  // namespace ydl::client

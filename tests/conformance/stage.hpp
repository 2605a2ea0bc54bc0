#pragma once

#include "backend/backend.hpp"
#include "support/loop.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ydl::backend::test {

// What the tasks of the suite do once launched. Tasks of a role all do the same; the role is named after it.
enum class Does { ends_well, exits_3, aborts, runs_on, ignores_stop, is_missing, loses_results };

inline constexpr auto kAllOfThem = std::to_array({Does::ends_well, Does::exits_3, Does::aborts, Does::runs_on,
                                                  Does::ignores_stop, Does::is_missing, Does::loses_results});

[[nodiscard]] std::string role_of(Does what);
inline constexpr int kMostTasks = 32;           // of one role
inline constexpr const char* kReady = "ready";  // what runs_on and ignores_stop say when they are about to

// A backend, and how to tell its tasks what to do there. One class for each backend: its stage is all that the suite
// needs of it.
class Stage {
 public:
  Stage() = default;
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  virtual ~Stage() = default;

  [[nodiscard]] virtual Backend& backend() = 0;
  // The command that does it.
  [[nodiscard]] virtual std::vector<std::string> command(Does what) = 0;
  // Tasks that still run there, as observed on the host and not as reported by the backend.
  [[nodiscard]] virtual std::size_t running() = 0;
  // How many containers tasks have had so far, where the backend has containers.
  [[nodiscard]] virtual std::optional<std::size_t> containers_used() { return std::nullopt; }
  // What a sanitizer said about the backend's own processes.
  [[nodiscard]] virtual std::string complaints() { return {}; }
};

using MakeStage = std::function<std::unique_ptr<Stage>(ydl::test::Loop&, Sink)>;

[[nodiscard]] std::unique_ptr<Stage> fake_stage(ydl::test::Loop& loop, Sink sink);
[[nodiscard]] std::unique_ptr<Stage> local_stage(ydl::test::Loop& loop, Sink sink);
[[nodiscard]] std::unique_ptr<Stage> yarn_stage(ydl::test::Loop& loop, Sink sink);

}  // namespace ydl::backend::test

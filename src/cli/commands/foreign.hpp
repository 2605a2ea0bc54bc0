#pragma once

#include "cli/args/commands.hpp"

#include <optional>

// `ydl status|events|logs|kill application_…` of somebody else's job. While it runs its master is asked, with the token
// that the ResourceManager gives to users who may view it; otherwise there is the ResourceManager's report.
// Each returns the exit code, or nothing where the job is the user's own: the command then goes on with its folder.
namespace ydl::cli {

[[nodiscard]] std::optional<int> show_foreign(const Status& command);
[[nodiscard]] std::optional<int> show_foreign(const Events& command);
[[nodiscard]] std::optional<int> show_foreign(const Logs& command);
[[nodiscard]] std::optional<int> kill_foreign(const Kill& command);

}  // namespace ydl::cli

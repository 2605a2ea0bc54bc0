#pragma once

#include "cli/commands/status_text.hpp"
#include "ui/model.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ydl::cli {

// The tasks of a job, a row for each. Columns in which no task has a value are left out, and on a narrow screen those
// that matter least.
[[nodiscard]] std::string task_table(const ui::JobView& job, const StatusScreen& screen);

// "1.1 of 2.0 GiB", "12 MiB of 2.0 GiB", and without a limit "1.1 GiB".
[[nodiscard]] std::string memory_text(std::uint64_t bytes, const std::optional<std::uint64_t>& limit);

}  // namespace ydl::cli

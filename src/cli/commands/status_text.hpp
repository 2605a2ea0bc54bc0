#pragma once

#include "ui/model.hpp"

#include <string>

namespace ydl::cli {

// A job and its tasks as `ydl status` shows them.
[[nodiscard]] std::string status_text(const ui::JobView& job);

}  // namespace ydl::cli

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ydl::cli {

// Where a name stands in a folder of results on HDFS.
enum class ResultLevel { task, file };

// What users call it; nothing for what is ydl's own: results that were being saved when something died, manifests.
[[nodiscard]] std::optional<std::string> result_name(std::string_view stored, ResultLevel level);

}  // namespace ydl::cli

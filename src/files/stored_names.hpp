#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ydl::files {

// What a file is called where the task's results are saved. HDFS takes neither a colon nor bytes that are not UTF-8,
// and the manifest is ours: such names are written with %XX, and therefore '%' is too.
[[nodiscard]] std::string stored_name(std::string_view name);
// The same of a relative path, name by name.
[[nodiscard]] std::string stored_path(std::string_view path);
// Back; nothing when it is no name that a file can have.
[[nodiscard]] std::optional<std::string> original_name(std::string_view stored);

// The one file in a folder of results that no task wrote.
inline constexpr std::string_view kManifestName = "manifest.json";

}  // namespace ydl::files

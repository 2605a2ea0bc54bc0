#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ydl::files {

// The name under which a file of a task is stored among the job's results. HDFS allows neither colons nor invalid
// UTF-8, and the manifest's name is reserved for ydl. Such characters are written as %XX, and so is '%' itself.
[[nodiscard]] std::string stored_name(std::string_view name);
// The same for each name in a relative path.
[[nodiscard]] std::string stored_path(std::string_view path);
// The reverse of stored_name(). Nothing if the result is not a valid file name; "." and ".." are invalid too, because
// they would lead out of the folder.
[[nodiscard]] std::optional<std::string> original_name(std::string_view stored);

// The only file in a folder of results that ydl itself writes.
inline constexpr std::string_view kManifestName = "manifest.json";

}  // namespace ydl::files

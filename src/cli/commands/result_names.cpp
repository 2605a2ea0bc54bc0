#include "cli/commands/result_names.hpp"

#include "files/stored_names.hpp"

namespace ydl::cli {

std::optional<std::string> result_name(std::string_view stored, ResultLevel level) {
  if (level == ResultLevel::task) {
    if (stored.starts_with('.')) return std::nullopt;  // agent::folder_being_saved, folder_set_aside
    return std::string(stored);
  }
  if (stored == files::kManifestName) return std::nullopt;
  return files::original_name(stored).value_or(std::string(stored));
}

}  // namespace ydl::cli

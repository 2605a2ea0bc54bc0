#pragma once

#include <string>
#include <string_view>

// Names of the temporary files of write_file_atomically(): "view.json.03fa91c2.tmp". A process that is killed while it
// writes leaves such a file behind.
namespace ydl::core {

// A new random name for a path or a file name.
[[nodiscard]] std::string temporary_name(std::string_view file);
// Whether this file name has the form that temporary_name() creates.
[[nodiscard]] bool is_temporary_name(std::string_view name);

}  // namespace ydl::core

#pragma once

#include <string>
#include <string_view>

// The names under which write_file_atomically() writes a file until it is complete: "view.json.03fa91c2.tmp". A process
// that is killed in that moment leaves such a file.
namespace ydl::core {

// A new one, for a path or the name of a file.
[[nodiscard]] std::string temporary_name(std::string_view file);
// Whether temporary_name() could have made this name of a file.
[[nodiscard]] bool is_temporary_name(std::string_view name);

}  // namespace ydl::core

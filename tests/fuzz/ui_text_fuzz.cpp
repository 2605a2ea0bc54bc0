#include "core/assert.hpp"
#include "ui/text.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

// The output of a task, cleaned for a terminal: it must not contain control sequences, and cut text must have the right
// width.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const int columns = data[0] % 100;
  const auto text = ydl::ui::clean({reinterpret_cast<const char*>(data) + 1, size - 1});
  for (const char c : text) YDL_ASSERT(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
  YDL_ASSERT(text.find("\xC2\x9B") == std::string_view::npos);
  YDL_ASSERT(ydl::ui::clean(text) == text);
  YDL_ASSERT(ydl::ui::display_width(ydl::ui::cut(text, columns)) <= columns);
  return 0;
}

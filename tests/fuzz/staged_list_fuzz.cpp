#include "backend/yarn/staged_list.hpp"
#include "core/assert.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

// The list of a job's cached files, from a file that other users may be able to write.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto list = ydl::backend::staged_list_from_json(text);
  if (list) YDL_ASSERT(ydl::backend::staged_list_from_json(to_json(*list)) == *list);
  return 0;
}

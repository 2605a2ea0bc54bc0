#include "hrpc/part_limit.hpp"

#include "hrpc/errors.hpp"
#include "hrpc/frame_codec.hpp"

#include <cstdint>
#include <optional>

#include <fmt/format.h>

namespace ydl::hrpc {
namespace {

constexpr int kDeepest = 100;  // protobuf's own limit of nesting

// Removes a varint from the front and returns it.
std::optional<std::uint64_t> take_number(std::string_view& bytes) {
  constexpr std::size_t kMostBytes = 10;
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < kMostBytes && i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    number |= std::uint64_t{byte & 0x7fU} << (7U * i);
    if ((byte & 0x80U) != 0) continue;
    bytes.remove_prefix(i + 1);
    return number;
  }
  return std::nullopt;
}

bool skip(std::string_view& bytes, std::size_t count) {
  if (bytes.size() < count) return false;
  bytes.remove_prefix(count);
  return true;
}

// Without the schema, strings and messages look the same, so strings are counted as messages too. Ordinary text is soon
// invalid as a message, and counting stops there.
class Counter {
 public:
  // Returns whether the message is within the limits.
  bool count(std::string_view message, int depth) {
    std::size_t siblings = 0;
    while (const auto key = take_number(message)) {
      switch (*key & 7U) {
        case 0:
          if (!take_number(message)) return true;
          break;
        case 1:
          if (!skip(message, 8)) return true;
          break;
        case 2: {
          const auto part = take_delimited(message);
          if (!part) return true;
          if (++siblings > kMostSiblings || ++parts_ > kMostParts) return false;
          if (depth < kDeepest && !count(*part, depth + 1)) return false;
          break;
        }
        case 3:
        case 4:  // a group: its fields follow
          break;
        case 5:
          if (!skip(message, 4)) return true;
          break;
        default:
          return true;
      }
    }
    return true;
  }

 private:
  std::size_t parts_ = 0;
};

}  // namespace

core::Result<> check_parts(std::string_view message) {
  if (Counter().count(message, 0)) return {};
  return core::fail(Errc::corrupt,
                    fmt::format("the server's answer has more elements than ydl accepts ({} in one list, {} in total)",
                                kMostSiblings, kMostParts));
}

}  // namespace ydl::hrpc

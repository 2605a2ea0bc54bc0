#pragma once

#include "core/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::spec {

inline constexpr std::size_t kMaxTextBytes = std::size_t{1} << 20U;
inline constexpr std::size_t kMaxDepth = 64;
inline constexpr std::size_t kMaxNodes = 100'000;                    // with every alias written out
inline constexpr std::size_t kMaxTreeBytes = std::size_t{4} << 20U;  // of scalars, with every alias written out

enum class NodeKind { null, scalar, sequence, map };

// Where something stands in the file, counted from 1. Column 0: not known (JSON).
struct Position {
  int line = 1;
  int column = 0;

  bool operator==(const Position&) const = default;
};

struct Entry;

// One value of a YAML or JSON file. The reader of a scalar decides what it means: `text` is as written in the file, so
// that 1.50 stays 1.50.
struct TreeNode {
  NodeKind kind = NodeKind::null;
  std::string text;
  bool quoted = false;  // certainly text, never a number or a truth value
  Position at;
  std::vector<TreeNode> items;  // of a sequence
  std::vector<Entry> entries;   // of a map, in the file's order; each key once

  [[nodiscard]] const Entry* find(std::string_view key) const;
};

struct Entry {
  std::string key;
  Position at;  // of the key
  TreeNode value;
};

// The one document that `text` holds, YAML or JSON, within the limits above. The Error (Errc::usage) begins with
// "FILE:LINE: ".
[[nodiscard]] core::Result<TreeNode> parse_document(std::string_view text, std::string_view file_name);

}  // namespace ydl::spec

#pragma once

#include "core/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::spec {

inline constexpr std::size_t kMaxTextBytes = std::size_t{1} << 20U;
inline constexpr std::size_t kMaxDepth = 64;
inline constexpr std::size_t kMaxNodes = 100'000;                    // including expanded aliases
inline constexpr std::size_t kMaxTreeBytes = std::size_t{4} << 20U;  // of scalars, including expanded aliases

enum class NodeKind { null, scalar, sequence, map };

// A position in the file, counted from 1. Column 0 means unknown (JSON).
struct Position {
  int line = 1;
  int column = 0;

  bool operator==(const Position&) const = default;
};

struct Entry;

// A value of a YAML or JSON file. Scalars are not converted: `text` is the original text, so that 1.50 stays 1.50.
struct TreeNode {
  NodeKind kind = NodeKind::null;
  std::string text;
  bool quoted = false;  // text in quotes, which is never a number or boolean
  Position at;
  std::vector<TreeNode> items;  // only for a sequence
  std::vector<Entry> entries;   // only for a map, in the order of the file; keys are unique

  [[nodiscard]] const Entry* find(std::string_view key) const;
};

struct Entry {
  std::string key;
  Position at;  // position of the key
  TreeNode value;
};

// Parses a single YAML or JSON document within the limits above. The Error (Errc::usage) starts with "FILE:LINE: ".
[[nodiscard]] core::Result<TreeNode> parse_document(std::string_view text, std::string_view file_name);

}  // namespace ydl::spec

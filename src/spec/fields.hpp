#pragma once

#include "core/clock.hpp"
#include "spec/document.hpp"
#include "spec/problems.hpp"
#include "spec/rules.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::spec {

// Reads a mapping of a job file key by key. The functions return nothing if the key is absent or its value is wrong. A
// wrong value is added to the problems, so that all problems of a file are reported together.
class Fields {
 public:
  // `place` describes the mapping in messages: "role 'worker'", or "" for the whole file. Keys that are not in `known`
  // are added to the problems.
  Fields(const TreeNode& map, std::string place, std::span<const std::string_view> known, Problems& problems);

  [[nodiscard]] std::optional<std::string> text(std::string_view key, TextCheck check) const;
  // A list of texts that all pass `check`.
  [[nodiscard]] std::vector<std::string> texts(std::string_view key, TextCheck check, std::string_view example) const;
  [[nodiscard]] std::optional<int> integer(std::string_view key, Range range) const;
  [[nodiscard]] std::optional<bool> boolean(std::string_view key) const;
  [[nodiscard]] std::optional<std::uint64_t> memory(std::string_view key) const;
  [[nodiscard]] std::optional<core::Millis> duration(std::string_view key, Zero zero) const;
  [[nodiscard]] std::vector<std::string> command(std::string_view key) const;
  [[nodiscard]] std::map<std::string, std::string> env(std::string_view key) const;
  // The mapping or list of a key, to be read by the caller.
  [[nodiscard]] const TreeNode* map(std::string_view key, std::string_view example) const;
  [[nodiscard]] const TreeNode* sequence(std::string_view key, std::string_view example) const;

  [[nodiscard]] const TreeNode& node() const { return map_; }
  [[nodiscard]] const std::string& place() const { return place_; }
  [[nodiscard]] Problems& problems() const { return problems_; }
  // "count in role 'worker'".
  [[nodiscard]] std::string label(std::string_view key) const;
  void complain(std::string_view key, const TreeNode& value, std::string_view sentence) const;

 private:
  [[nodiscard]] const TreeNode* present(std::string_view key) const;
  [[nodiscard]] const TreeNode* scalar(std::string_view key, std::string_view wanted) const;
  [[nodiscard]] bool is_sound(std::string_view key, const TreeNode& value, TextCheck check) const;
  [[nodiscard]] std::optional<std::string> word(std::string_view key, const TreeNode& value) const;

  const TreeNode& map_;
  std::string place_;
  Problems& problems_;
};

// A value as described in messages: "a list", "5", "'abc'", "the text '5'".
[[nodiscard]] std::string describe(const TreeNode& value);

// Whether the scalar is text in YAML 1.2 and JSON, and not a number or boolean.
[[nodiscard]] bool is_text(const TreeNode& scalar);

}  // namespace ydl::spec

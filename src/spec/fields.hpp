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

// One mapping of a job file, read key by key. Each reader returns nothing when the key is absent and also when its
// value is wrong, which it then adds to the problems; so a whole file is read before anything is said about it.
class Fields {
 public:
  // `place` says which mapping it is, for messages: "role 'worker'", or nothing for the whole file. Keys that are not
  // in `known` are problems.
  Fields(const TreeNode& map, std::string place, std::span<const std::string_view> known, Problems& problems);

  [[nodiscard]] std::optional<std::string> text(std::string_view key, TextCheck check) const;
  // A list of texts, each of which passes `check`.
  [[nodiscard]] std::vector<std::string> texts(std::string_view key, TextCheck check, std::string_view example) const;
  [[nodiscard]] std::optional<int> integer(std::string_view key, Range range) const;
  [[nodiscard]] std::optional<bool> boolean(std::string_view key) const;
  [[nodiscard]] std::optional<std::uint64_t> memory(std::string_view key) const;
  [[nodiscard]] std::optional<core::Millis> duration(std::string_view key, Zero zero) const;
  [[nodiscard]] std::vector<std::string> command(std::string_view key) const;
  [[nodiscard]] std::map<std::string, std::string> env(std::string_view key) const;
  // A mapping or list under `key`, to be read by the caller.
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

// How a message calls a value: "a list", "5", "'abc'", "the text '5'".
[[nodiscard]] std::string describe(const TreeNode& value);

// Whether YAML 1.2 and JSON take the scalar for text, not for a number or a truth value.
[[nodiscard]] bool is_text(const TreeNode& scalar);

}  // namespace ydl::spec

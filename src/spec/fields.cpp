#include "spec/fields.hpp"

#include "core/strings.hpp"
#include "spec/foreign_keys.hpp"
#include "spec/words.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace ydl::spec {
namespace {

bool is_one_of(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

bool is_true(std::string_view text) {
  return is_one_of(text, std::array<std::string_view, 3>{"true", "True", "TRUE"});
}
bool is_false(std::string_view text) {
  return is_one_of(text, std::array<std::string_view, 3>{"false", "False", "FALSE"});
}

bool is_number(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  if (text.starts_with("0x") || text.starts_with("0o")) {
    const auto digits = text[1] == 'x' ? std::string_view("0123456789abcdefABCDEF") : std::string_view("01234567");
    return text.size() > 2 && text.substr(2).find_first_not_of(digits) == std::string_view::npos;
  }
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  if (is_one_of(text, std::array<std::string_view, 6>{".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"})) return true;
  const auto first_after = [&](std::string_view set) { return std::min(text.find_first_not_of(set), text.size()); };
  const auto whole = first_after(kDigits);
  text.remove_prefix(whole);
  std::size_t fraction = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = first_after(kDigits);
    text.remove_prefix(fraction);
  }
  if (whole + fraction == 0) return false;
  if (text.empty()) return true;
  if (!text.starts_with('e') && !text.starts_with('E')) return false;
  text.remove_prefix(1);
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && first_after(kDigits) == text.size();
}

}  // namespace

bool is_text(const TreeNode& scalar) {
  return scalar.quoted || !(is_true(scalar.text) || is_false(scalar.text) || is_number(scalar.text));
}

std::string describe(const TreeNode& value) {
  switch (value.kind) {
    case NodeKind::null:
      return "an empty value";
    case NodeKind::sequence:
      return "a list";
    case NodeKind::map:
      return "a mapping";
    case NodeKind::scalar:
      break;
  }
  if (value.quoted) return fmt::format("the text {}", in_quotes(value.text));
  return is_text(value) ? in_quotes(value.text) : value.text;
}

Fields::Fields(const TreeNode& map, std::string place, std::span<const std::string_view> known, Problems& problems)
    : map_(map), place_(std::move(place)), problems_(problems) {
  for (const auto& entry : map_.entries) {
    if (is_one_of(entry.key, known)) continue;
    auto hint = foreign_key_hint(place_, entry.key);
    if (hint.empty()) hint = core::did_you_mean(std::string_view(entry.key).substr(0, 64), known);
    if (hint.empty()) hint = fmt::format("; the keys here are {}", fmt::join(known, ", "));
    problems_.add(entry.at.line, fmt::format("unknown key {}{}{}{}", in_quotes(entry.key), place_.empty() ? "" : " in ",
                                             place_, hint));
  }
}

std::string Fields::label(std::string_view key) const {
  return place_.empty() ? std::string(key) : fmt::format("{} in {}", key, place_);
}

void Fields::complain(std::string_view key, const TreeNode& value, std::string_view sentence) const {
  problems_.add(value.at.line, fmt::format("{}: {}", label(key), sentence));
}

const TreeNode* Fields::present(std::string_view key) const {
  const Entry* entry = map_.find(key);
  if (entry == nullptr) return nullptr;
  if (entry->value.kind == NodeKind::null) {
    // Uses the line of the key, because an empty value has no line.
    problems_.add(entry->at.line, fmt::format("{}: the value is missing; write one or remove the key", label(key)));
    return nullptr;
  }
  return &entry->value;
}

const TreeNode* Fields::scalar(std::string_view key, std::string_view wanted) const {
  const TreeNode* value = present(key);
  if (value == nullptr || value->kind == NodeKind::scalar) return value;
  complain(key, *value, fmt::format("this must be {}, not {}", wanted, describe(*value)));
  return nullptr;
}

const TreeNode* Fields::map(std::string_view key, std::string_view example) const {
  const TreeNode* value = present(key);
  if (value == nullptr || value->kind == NodeKind::map) return value;
  complain(key, *value, fmt::format("this must be a mapping, for example {}, not {}", example, describe(*value)));
  return nullptr;
}

const TreeNode* Fields::sequence(std::string_view key, std::string_view example) const {
  const TreeNode* value = present(key);
  if (value == nullptr || value->kind == NodeKind::sequence) return value;
  complain(key, *value, fmt::format("this must be a list, for example {}, not {}", example, describe(*value)));
  return nullptr;
}

// Whether a scalar is text that passes the check. Adds a problem if not.
bool Fields::is_sound(std::string_view key, const TreeNode& value, TextCheck check) const {
  if (!is_text(value)) {
    complain(key, value, fmt::format("this must be text; put it in quotes: \"{}\"", value.text));
    return false;
  }
  auto ok = check(value.text);
  if (!ok) complain(key, value, ok.error().message);
  return ok.has_value();
}

std::optional<std::string> Fields::text(std::string_view key, TextCheck check) const {
  const TreeNode* value = scalar(key, "text");
  if (value == nullptr || !is_sound(key, *value, check)) return std::nullopt;
  return value->text;
}

std::vector<std::string> Fields::texts(std::string_view key, TextCheck check, std::string_view example) const {
  std::vector<std::string> found;
  const TreeNode* list = sequence(key, example);
  if (list == nullptr) return found;
  if (list->items.size() > kMaxFiles) {
    complain(key, *list, fmt::format("the list is too long; it may have at most {} entries", kMaxFiles));
    return found;
  }
  for (const auto& item : list->items) {
    if (item.kind != NodeKind::scalar)
      complain(key, item, fmt::format("each entry must be text, not {}", describe(item)));
    else if (is_sound(key, item, check))
      found.push_back(item.text);
  }
  return found;
}

std::optional<int> Fields::integer(std::string_view key, Range range) const {
  const auto wanted = fmt::format("a whole number from {} to {}", range.min, range.max);
  const TreeNode* value = scalar(key, wanted);
  if (value == nullptr) return std::nullopt;
  const auto number = core::parse_int<std::int64_t>(value->text);
  if (number && value->quoted) {
    complain(key, *value, fmt::format("this must be {}, not text; remove the quotes", wanted));
    return std::nullopt;
  }
  if (!number || !check_range(*number, range)) {
    complain(key, *value, fmt::format("this must be {}, not {}", wanted, describe(*value)));
    return std::nullopt;
  }
  return static_cast<int>(*number);
}

std::optional<bool> Fields::boolean(std::string_view key) const {
  const TreeNode* value = scalar(key, "true or false");
  if (value == nullptr) return std::nullopt;
  if (!value->quoted && is_true(value->text)) return true;
  if (!value->quoted && is_false(value->text)) return false;
  complain(key, *value, fmt::format("this must be true or false, not {}", describe(*value)));
  return std::nullopt;
}

std::optional<std::uint64_t> Fields::memory(std::string_view key) const {
  const TreeNode* value = scalar(key, "a size such as 512m or 2g");
  if (value == nullptr) return std::nullopt;
  const auto bytes = core::parse_bytes(value->text);
  const auto ok = bytes ? check_memory(*bytes) : core::fail(bytes.error());
  if (ok) return *bytes;
  complain(key, *value, ok.error().message);
  return std::nullopt;
}

std::optional<core::Millis> Fields::duration(std::string_view key, Zero zero) const {
  const TreeNode* value = scalar(key, "a duration such as 90s or 10m");
  if (value == nullptr) return std::nullopt;
  const auto time = core::parse_duration(value->text);
  const auto ok = time ? check_duration(*time, zero) : core::fail(time.error());
  if (ok) return *time;
  complain(key, *value, ok.error().message);
  return std::nullopt;
}

std::optional<std::string> Fields::word(std::string_view key, const TreeNode& value) const {
  if (value.kind == NodeKind::scalar) return value.text;
  complain(key, value, fmt::format("a word of a command is text or a number, not {}", describe(value)));
  return std::nullopt;
}

std::vector<std::string> Fields::command(std::string_view key) const {
  const TreeNode* value = present(key);
  if (value == nullptr) return {};
  if (value->kind == NodeKind::map || (value->kind == NodeKind::scalar && !is_text(*value))) {
    complain(key, *value, fmt::format("this must be a command line or a list of its words, not {}", describe(*value)));
    return {};
  }
  std::vector<std::string> words;
  if (value->kind == NodeKind::scalar) {
    auto split = split_words(value->text);
    if (!split) {
      complain(key, *value, split.error().message);
      return {};
    }
    words = std::move(*split);
  }
  for (const auto& item : value->items) {
    auto one = word(key, item);
    if (!one) return {};
    words.push_back(std::move(*one));
  }
  if (auto ok = check_command(words); !ok) {
    complain(key, *value, ok.error().message);
    return {};
  }
  return words;
}

std::map<std::string, std::string> Fields::env(std::string_view key) const {
  std::map<std::string, std::string> env;
  const TreeNode* all = map(key, "{OMP_NUM_THREADS: 1}");
  if (all == nullptr) return env;
  for (const auto& [name, at, value] : all->entries) {
    if (auto ok = check_env_name(name); !ok) {
      problems_.add(at.line, fmt::format("{}: {}", label(key), ok.error().message));
    } else if (value.kind == NodeKind::null) {
      problems_.add(at.line,
                    fmt::format("{}: {} has no value; write '' for an empty text or remove it", label(key), name));
    } else if (value.kind != NodeKind::scalar) {
      complain(key, value, fmt::format("{} must be text or a number, not {}", name, describe(value)));
    } else if (auto fits = check_env_value(value.text); !fits) {
      complain(key, value, fmt::format("{}: {}", name, fits.error().message));
    } else {
      env.emplace(name, value.text);
    }
  }
  return env;
}

}  // namespace ydl::spec

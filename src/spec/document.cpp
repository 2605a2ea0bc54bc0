#include "spec/document.hpp"

#include "core/strings.hpp"
#include "spec/json_reader.hpp"
#include "spec/problems.hpp"
#include "spec/tree_builder.hpp"
#include "spec/yaml_reader.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace ydl::spec {
namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kBlank = " \t\r\n";

bool is_utf16(std::string_view text) {
  return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
}

// Binary content is refused before parsing, because yaml-cpp gives some of these bytes a special meaning: a 0x04
// silently ends the file.
std::optional<Refusal> find_binary(std::string_view text) {
  int line = 1;
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text[0]);
    const auto length = core::utf8_length(text);
    if (length == 0) return Refusal{line, "this is not UTF-8 text; save the file as UTF-8"};
    if (byte == 0) return Refusal{line, "this line contains a NUL byte; save the file as UTF-8 text"};
    if (byte < 0x20 && kBlank.find(text[0]) == std::string_view::npos) {
      return Refusal{line, fmt::format("this line contains the control character 0x{:02x}; remove it", byte)};
    }
    if (byte == '\n') ++line;
    text.remove_prefix(length);
  }
  return std::nullopt;
}

bool is_braced(std::string_view text) {
  return core::trim(text).starts_with('{');
}

// Whether a text starts like JSON. Then the error of the JSON parser is more helpful than that of the YAML parser.
bool looks_like_json(std::string_view text) {
  text = core::trim(text);
  return text.starts_with('{') && core::trim(text.substr(1)).starts_with('"');
}

// Text in braces is JSON, or YAML in flow style.
TreeNode read_braced(std::string_view text) {
  try {
    return read_json(text);
  } catch (const NotJson& not_json) {
    try {
      return read_yaml(text);
    } catch (const Refusal&) {
      if (looks_like_json(text)) throw Refusal{not_json.line, not_json.sentence};
      throw;
    }
  }
}

}  // namespace

const Entry* TreeNode::find(std::string_view key) const {
  const auto found = std::ranges::find(entries, key, &Entry::key);
  return found == entries.end() ? nullptr : &*found;
}

core::Result<TreeNode> parse_document(std::string_view text, std::string_view file_name) {
  const auto refuse = [&](const Refusal& why) { return core::fail(problem_at(file_name, why.line, why.sentence)); };
  if (text.size() > kMaxTextBytes) {
    return refuse({1, fmt::format("the file is too long for a job file; the limit is {} MiB", kMaxTextBytes >> 20U)});
  }
  if (is_utf16(text)) return refuse({1, "the file is UTF-16; save it as UTF-8"});
  if (text.starts_with(kUtf8Mark)) text.remove_prefix(kUtf8Mark.size());
  if (const auto binary = find_binary(text)) return refuse(*binary);
  try {
    return is_braced(text) ? read_braced(text) : read_yaml(text);
  } catch (const Refusal& why) {
    return refuse(why);
  } catch (const std::exception& error) {
    return refuse({1, fmt::format("the file cannot be read: {}", core::printable(error.what()))});
  }
}

}  // namespace ydl::spec

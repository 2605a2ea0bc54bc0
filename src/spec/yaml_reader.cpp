#include "spec/yaml_reader.hpp"

#include "core/strings.hpp"
#include "spec/problems.hpp"
#include "spec/tree_builder.hpp"

#include <sstream>
#include <string>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

namespace ydl::spec {
namespace {

constexpr std::string_view kStandardTag = "tag:yaml.org,2002:";

Position position(const YAML::Mark& mark) {
  // Some errors have no position (-1); then line 1 is reported.
  return {.line = mark.line < 0 ? 1 : mark.line + 1, .column = mark.column < 0 ? 0 : mark.column + 1};
}

// For a missing tag, yaml-cpp reports "?", or "!" for quoted and block text.
bool is_untagged(std::string_view tag) {
  return tag.empty() || tag == "?" || tag == "!";
}

bool is_standard(std::string_view tag, std::string_view name) {
  return tag.starts_with(kStandardTag) && tag.substr(kStandardTag.size()) == name;
}

[[noreturn]] void refuse_tag(const YAML::Mark& mark, std::string_view tag) {
  throw Refusal{position(mark).line, fmt::format("the tag {} is not used in job files; remove it", in_quotes(tag))};
}

class Handler final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (seen_document_) {
      throw Refusal{position(mark).line, "a second document or value starts here; a job file holds one"};
    }
    seen_document_ = true;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { builder_.null(position(mark), anchor); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override { builder_.alias(position(mark), anchor); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const bool is_text = tag == "!" || is_standard(tag, "str");
    if (!is_text && !is_untagged(tag)) refuse_tag(mark, tag);
    builder_.scalar(position(mark), value, is_text ? TreeBuilder::Style::quoted : TreeBuilder::Style::plain, anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    if (!is_untagged(tag) && !is_standard(tag, "seq")) refuse_tag(mark, tag);
    builder_.begin(NodeKind::sequence, position(mark), anchor);
  }
  void OnSequenceEnd() override { builder_.end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    if (!is_untagged(tag) && !is_standard(tag, "map")) refuse_tag(mark, tag);
    builder_.begin(NodeKind::map, position(mark), anchor);
  }
  void OnMapEnd() override { builder_.end(); }

  [[nodiscard]] TreeNode take() { return builder_.take(); }

 private:
  TreeBuilder builder_;
  bool seen_document_ = false;
};

bool is_indented_with_tab(std::string_view line) {
  const auto first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos || line[first] == '#' || line[first] == '\r') return false;
  return line.substr(0, first).find('\t') != std::string_view::npos;
}

// Tabs are valid in block text and flow values. So they are reported as the cause only if the parser failed on their
// line or the next one.
Refusal explain(const YAML::Exception& error, std::string_view text) {
  const int line = position(error.mark).line;
  const auto lines = core::split(text, '\n');
  for (const int suspect : {line - 1, line}) {
    if (suspect < 1 || static_cast<std::size_t>(suspect) > lines.size()) continue;
    if (is_indented_with_tab(lines[static_cast<std::size_t>(suspect) - 1])) {
      return {suspect, "a tab is used for indentation; YAML allows only spaces"};
    }
  }
  return {line, fmt::format("this is not valid YAML: {}", core::printable(error.msg))};
}

}  // namespace

namespace {

TreeNode parse(std::string_view text) {
  Handler handler;
  std::istringstream stream{std::string(text)};
  YAML::Parser parser(stream);
  // Exactly two calls and no loop: before an unexpected token such as ',' yaml-cpp reports an endless sequence of empty
  // documents. The handler refuses the second document.
  if (parser.HandleNextDocument(handler)) parser.HandleNextDocument(handler);
  return handler.take();
}

}  // namespace

TreeNode read_yaml(std::string_view text) {
  try {
    auto tree = parse(text);
    // yaml-cpp treats a line break at the end of the file as the end of an open quote.
    (void)parse(text.substr(0, text.find_last_not_of(" \t\r\n") + 1));
    return tree;
  } catch (const YAML::Exception& error) {
    throw explain(error, text);
  }
}

}  // namespace ydl::spec

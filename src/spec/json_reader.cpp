#include "spec/json_reader.hpp"

#include "spec/tree_builder.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include <boost/json/basic_parser_impl.hpp>
#include <fmt/format.h>

namespace ydl::spec {
namespace {

namespace json = boost::json;

// Boost's parser does not report positions. So it is fed line by line, which works because every token of JSON ends on
// the line where it starts.
struct Handler {
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code&) { return begin(NodeKind::map); }
  bool on_object_end(std::size_t, json::error_code&) { return end(); }
  bool on_array_begin(json::error_code&) { return begin(NodeKind::sequence); }
  bool on_array_end(std::size_t, json::error_code&) { return end(); }
  bool on_key_part(json::string_view text, std::size_t, json::error_code&) { return part(text); }
  bool on_key(json::string_view text, std::size_t, json::error_code&) { return scalar(text, Style::quoted); }
  bool on_string_part(json::string_view text, std::size_t, json::error_code&) { return part(text); }
  bool on_string(json::string_view text, std::size_t, json::error_code&) { return scalar(text, Style::quoted); }
  bool on_number_part(json::string_view text, json::error_code&) { return part(text); }
  bool on_int64(std::int64_t, json::string_view text, json::error_code&) { return scalar(text, Style::plain); }
  bool on_uint64(std::uint64_t, json::string_view text, json::error_code&) { return scalar(text, Style::plain); }
  bool on_double(double, json::string_view text, json::error_code&) { return scalar(text, Style::plain); }
  bool on_bool(bool value, json::error_code&) { return scalar(value ? "true" : "false", Style::plain); }
  bool on_null(json::error_code&) {
    builder.null({.line = line});
    return true;
  }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

  TreeBuilder builder;
  int line = 1;

 private:
  using Style = TreeBuilder::Style;

  bool begin(NodeKind kind) {
    builder.begin(kind, {.line = line});
    return true;
  }
  bool end() {
    builder.end();
    return true;
  }
  bool part(json::string_view text) {
    partial_.append(text.data(), text.size());
    return true;
  }
  bool scalar(json::string_view last_part, Style style) {
    part(last_part);
    builder.scalar({.line = line}, std::exchange(partial_, {}), style);
    return true;
  }

  std::string partial_;  // the first part of a key, text or number that arrives in pieces
};

json::parse_options options() {
  json::parse_options options;
  options.max_depth = kMaxDepth + 1;  // so that TreeBuilder's own limit applies first
  return options;
}

}  // namespace

TreeNode read_json(std::string_view text) {
  json::basic_parser<Handler> parser(options());
  Handler& handler = parser.handler();
  json::error_code error;
  for (;;) {
    const auto end = text.find('\n');
    const bool is_last = end == std::string_view::npos;
    const auto line = is_last ? text : text.substr(0, end + 1);
    const auto used = parser.write_some(!is_last, line.data(), line.size(), error);
    if (!error && used < line.size()) error = json::error::extra_data;
    if (error) throw NotJson{handler.line, fmt::format("this is not valid JSON: {}", error.message())};
    if (is_last) return handler.builder.take();
    text.remove_prefix(line.size());
    ++handler.line;
  }
}

}  // namespace ydl::spec

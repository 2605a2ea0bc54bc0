#include "yarn/launch_quoting.hpp"

#include "core/strings.hpp"

namespace ydl::yarn {
namespace {

core::Result<> check_bytes(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto length = text[at] == '\0' ? 0 : core::utf8_length(text.substr(at));
    if (length == 0) {
      return core::fail(core::Errc::usage, "'" + core::printable(text) +
                                               "' contains bytes that are not UTF-8, which YARN cannot pass to a "
                                               "container: pass them in a file or as base64");
    }
    at += length;
  }
  return {};
}

// Whether the NodeManager might replace a text that starts with these two characters.
bool might_be_replaced(char first, char second) {
  return first == '<' || (first == second && (first == '{' || first == '}'));
}

// Escapes `text` for use inside double quotes.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"' || c == '$' || c == '`') out.push_back('\\');
    out.push_back(c);
  }
  return out;
}

// Inserts `seam` into `text` wherever the NodeManager would replace something.
std::string seamed(std::string_view text, std::string_view seam) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    out.push_back(text[at]);
    if (at + 1 < text.size() && might_be_replaced(text[at], text[at + 1])) out += seam;
  }
  return out;
}

// One word for the inner shell, always in single quotes, in which no character is special.
std::string single_quoted(std::string_view word) {
  std::string out = "'";
  for (std::size_t at = 0; at < word.size(); ++at) {
    if (word[at] == '\'') {
      out += R"('\'')";
      continue;
    }
    out.push_back(word[at]);
    if (at + 1 < word.size() && might_be_replaced(word[at], word[at + 1])) out += "''";
  }
  return out + "'";
}

}  // namespace

core::Result<std::string> quote_environment_value(std::string_view value) {
  if (auto checked = check_bytes(value); !checked) return core::fail(std::move(checked).error());
  return seamed(escaped(value), R"("")");
}

core::Result<std::string> quote_command(std::span<const std::string> words) {
  std::string command;
  for (const auto& word : words) {
    if (auto checked = check_bytes(word); !checked) return core::fail(std::move(checked).error());
    if (!command.empty()) command += ' ';
    command += escaped(single_quoted(word));
  }
  return command;
}

}  // namespace ydl::yarn

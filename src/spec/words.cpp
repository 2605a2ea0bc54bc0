#include "spec/words.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

namespace ydl::spec {
namespace {

using core::Errc;
using core::fail;

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kOperators = "|&;<>()";
constexpr std::string_view kEscapedInDoubleQuotes = "$`\"\\\n";

class Splitter {
 public:
  explicit Splitter(std::string_view line) : rest_(line) {}

  core::Result<std::vector<std::string>> run() {
    while (!rest_.empty()) {
      const char c = next();
      if (kBlank.find(c) != std::string_view::npos) {
        finish_word();
        // A line that continues the command is indented or starts with an option.
        const bool begins_a_command =
            !rest_.empty() && kBlank.find(rest_.front()) == std::string_view::npos && rest_.front() != '-';
        if (c == '\n' && !words_.empty() && begins_a_command) {
          return fail(Errc::usage,
                      "it has several lines, and the command is run without a shell; write [sh, -c, \"...\"], or "
                      "begin it with '>' to make one line of them");
        }
      } else if (auto taken = take(c); !taken) {
        return fail(std::move(taken.error()));
      }
    }
    finish_word();
    return std::move(words_);
  }

 private:
  char next() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  void finish_word() {
    if (word_) words_.push_back(std::move(*word_));
    word_.reset();
  }

  std::string& word() { return word_ ? *word_ : word_.emplace(); }

  core::Result<> take(char c) {
    switch (c) {
      case '\'':
        return take_single_quoted();
      case '"':
        return take_double_quoted();
      case '\\':
        return take_escaped();
      default:
        break;
    }
    if (kOperators.find(c) != std::string_view::npos) {
      return fail(Errc::usage, fmt::format("'{}' needs a shell, and the command is run without one; quote it, or write "
                                           "[sh, -c, \"...\"]",
                                           c));
    }
    word() += c;
    return {};
  }

  core::Result<> take_single_quoted() {
    const auto end = rest_.find('\'');
    if (end == std::string_view::npos) return fail(Errc::usage, "a single quote (') is opened and never closed");
    word() += rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return {};
  }

  core::Result<> take_double_quoted() {
    std::string& into = word();
    while (!rest_.empty()) {
      const char c = next();
      if (c == '"') return {};
      if (c != '\\' || rest_.empty() || kEscapedInDoubleQuotes.find(rest_.front()) == std::string_view::npos) {
        into += c;  // inside double quotes, a backslash before any other character is literal
      } else if (const char escaped = next(); escaped != '\n') {
        into += escaped;
      }
    }
    return fail(Errc::usage, "a double quote (\") is opened and never closed");
  }

  core::Result<> take_escaped() {
    if (rest_.empty()) return fail(Errc::usage, "the backslash at the end escapes nothing; remove it or write \\\\");
    // a backslash before a newline joins two lines
    if (const char escaped = next(); escaped != '\n') word() += escaped;
    return {};
  }

  std::string_view rest_;
  std::optional<std::string> word_;
  std::vector<std::string> words_;
};

}  // namespace

core::Result<std::vector<std::string>> split_words(std::string_view line) {
  return Splitter(line).run();
}

}  // namespace ydl::spec

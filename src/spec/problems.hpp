#pragma once

#include "core/error.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace ydl::spec {

// Text of a file for error messages: safe for a terminal, shortened, in single quotes.
[[nodiscard]] std::string in_quotes(std::string_view text);

// An Error (Errc::usage) with "FILE:LINE: " and the sentence.
[[nodiscard]] core::Error problem_at(std::string_view file_name, int line, std::string_view sentence);

// Collects all problems of a file, so that its author can correct them together.
class Problems {
 public:
  explicit Problems(std::string_view file_name) : file_name_(file_name) {}

  void add(int line, std::string sentence);
  [[nodiscard]] bool empty() const { return by_line_.empty(); }
  // One line per problem, in the order of the file, at most ten.
  [[nodiscard]] core::Error to_error() const;

 private:
  static constexpr std::size_t kShown = 10;

  std::string file_name_;
  std::multimap<int, std::string> by_line_;
};

}  // namespace ydl::spec

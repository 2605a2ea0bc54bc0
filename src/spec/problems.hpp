#pragma once

#include "core/error.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace ydl::spec {

// Text of a file as an error message shows it: safe for a terminal, shortened, in single quotes.
[[nodiscard]] std::string in_quotes(std::string_view text);

// "FILE:LINE: " and the sentence, as Errc::usage.
[[nodiscard]] core::Error problem_at(std::string_view file_name, int line, std::string_view sentence);

// What is wrong with one file, gathered so that its author can mend all of it at once.
class Problems {
 public:
  explicit Problems(std::string_view file_name) : file_name_(file_name) {}

  void add(int line, std::string sentence);
  [[nodiscard]] bool empty() const { return by_line_.empty(); }
  // One line for each problem in the order of the file, the first ten of them.
  [[nodiscard]] core::Error to_error() const;

 private:
  static constexpr std::size_t kShown = 10;

  std::string file_name_;
  std::multimap<int, std::string> by_line_;
};

}  // namespace ydl::spec

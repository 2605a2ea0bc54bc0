#pragma once

#include <algorithm>
#include <span>
#include <string>

namespace ydl::cli {

// Whether a command line that could not be parsed asks for JSON: its error is then an object too. Words after "--"
// belong to a task.
[[nodiscard]] inline bool names_json_output(std::span<const std::string> words) {
  const auto end = std::ranges::find(words, "--");
  for (auto word = words.begin(); word != end; ++word) {
    if (*word == "--output=json") return true;
    if (*word == "--output" && word + 1 != end && *(word + 1) == "json") return true;
  }
  return false;
}

}  // namespace ydl::cli

#include "cli/args/task_line.hpp"

#include <algorithm>

namespace ydl::cli {
namespace {

bool is_option(std::string_view word) {
  return word.starts_with('-') && word != "-" && word != "--";
}

}  // namespace

bool asks_for_help(const std::vector<std::string>& words, const TakesValue& takes_value) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (words[i] == "--help" || words[i] == "--help-all" || words[i] == "-h") return true;
    if (is_option(words[i]) && takes_value(words[i])) ++i;
  }
  return false;
}

TaskLine split_at_task(const std::vector<std::string>& words, const TakesValue& takes_value) {
  std::size_t end = 0;
  while (end < words.size() && is_option(words[end])) end += takes_value(words[end]) ? 2 : 1;
  end = std::min(end, words.size());
  const auto ours_end = words.begin() + static_cast<std::ptrdiff_t>(end);
  const bool dashes = ours_end != words.end() && *ours_end == "--";
  return {{words.begin(), ours_end}, {dashes ? ours_end + 1 : ours_end, words.end()}};
}

}  // namespace ydl::cli

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::cli {

// Whether the word is an option whose value is the next word.
using TakesValue = std::function<bool(std::string_view word)>;

// Whether --help, --help-all or -h stands where an option may stand.
[[nodiscard]] bool asks_for_help(const std::vector<std::string>& words, const TakesValue& takes_value);

// A command line that ends in a task: our words, and the task's from `--` or from the first word that is neither an
// option nor its value. The task's are never looked into.
struct TaskLine {
  std::vector<std::string> ours;
  std::vector<std::string> task;
};
[[nodiscard]] TaskLine split_at_task(const std::vector<std::string>& words, const TakesValue& takes_value);

}  // namespace ydl::cli

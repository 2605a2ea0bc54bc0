#include "yarn/diagnostics.hpp"

#include "core/strings.hpp"
#include "core/utf8.hpp"
#include "yarn/exit_status.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace ydl::yarn {
namespace {

// A line without the prefix "[2026-01-02 03:04:05.678]", which most lines have.
struct Line {
  std::string_view words;
  bool is_stamped = false;
};
Line without_stamp(std::string_view line) {
  const auto words = core::trim(line);
  const auto end = words.starts_with("[20") ? words.find(']') : std::string_view::npos;
  if (end == std::string_view::npos) return {words};
  return {core::trim(words.substr(end + 1)), true};
}

// Lines that are in the diagnostics of every failed container, or that only developers of Hadoop understand.
bool is_noise(std::string_view words) {
  constexpr auto kStarts = std::to_array<std::string_view>(
      {"For more detailed output", ". Failing the application", "[20", "Last 4096 bytes of", "at org.", "at java.",
       "Dump of the process-tree", "|- ", "Exception from container-launch", "Container id: ", "Exit code: ",
       "Launch container failed", "<unknown>", "Container exited with a non-zero exit code", "Caused by: "});
  const bool is_of_stack =
      (words.starts_with("at ") && words.ends_with(")")) || (words.starts_with("... ") && words.ends_with(" more"));
  return words.empty() || is_of_stack ||
         std::ranges::any_of(kStarts, [&](auto start) { return words.starts_with(start); });
}

// Connection errors of Hadoop end with a link to its wiki.
std::string_view without_link(std::string_view words) {
  return words.substr(0, words.find("; For more details see:"));
}

// "java.net.ConnectException: Connection refused": "Connection refused".
std::string_view without_class(std::string_view words) {
  const auto end = words.find(": ");
  const bool is_class = end != std::string_view::npos && words.substr(0, end).find(' ') == std::string_view::npos;
  return is_class ? words.substr(end + 2) : words;
}

}  // namespace

std::string shorten_diagnostics(std::string_view diagnostics) {
  constexpr std::size_t kLongest = 1500;
  constexpr auto kLabels = std::to_array<std::string_view>({"Exception message:", "Shell error output:"});
  std::string text;
  bool in_output = false;  // inside the output of the container-executor, a log of its steps
  for (const auto line : core::split(diagnostics, '\n')) {
    auto [words, is_stamped] = without_stamp(line);
    if (is_stamped) in_output = false;
    if (words.starts_with("Shell output:")) in_output = true;
    for (const auto label : kLabels) {
      if (words.starts_with(label)) words = core::trim(words.substr(label.size()));
    }
    words = without_link(words);
    if (in_output || is_noise(words)) continue;
    // Java repeats the message of a nested exception
    if (text.contains(core::printable(without_class(words)))) continue;
    if (!text.empty()) text += " | ";
    text += core::printable(words);
    if (text.size() > kLongest) return core::shortened(text, kLongest);
  }
  return text;
}

std::string describe_end_of_application(std::string_view diagnostics) {
  constexpr std::string_view kCode = "exitCode: ";
  constexpr std::string_view kDetails = "Diagnostics: ";
  const auto at = diagnostics.find(kCode);
  if (!diagnostics.contains("AM Container for") || at == std::string_view::npos)
    return shorten_diagnostics(diagnostics);
  const auto rest = diagnostics.substr(at + kCode.size());
  const auto code = core::parse_int<int>(core::trim(rest.substr(0, rest.find_first_not_of("-0123456789"))));
  if (!code) return shorten_diagnostics(diagnostics);
  const auto details = rest.find(kDetails);
  const auto words =
      details == std::string_view::npos ? "" : shorten_diagnostics(rest.substr(details + kDetails.size()));
  return fmt::format("the container of the application's master ended: {}{}", describe_exit(*code),
                     words.empty() ? "" : fmt::format(" ({})", words));
}

}  // namespace ydl::yarn

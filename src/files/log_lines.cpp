#include "files/log_lines.hpp"

#include "core/strings.hpp"
#include "files/metric_line.hpp"

#include <algorithm>

namespace ydl::files {
namespace {

constexpr std::string_view kCheckpoint = "::checkpoint";
constexpr std::size_t kLongestQuote = 60;
constexpr char kEscape = '\033';

// The length of the escape sequence at the start of `text`.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] == ']') {  // an operating system command (OSC) ends at BEL or at ESC and one more character
    const auto end = text.find_first_of("\a\033", 2);
    if (end == std::string_view::npos) return text.size();
    return text[end] == '\a' ? end + 1 : std::min(end + 2, text.size());
  }
  if (text[1] != '[') return 2;
  std::size_t i = 2;
  while (i < text.size() && (text[i] < '@' || text[i] > '~')) ++i;
  return std::min(i + 1, text.size());
}

}  // namespace

bool is_checkpoint(std::string_view line) {
  if (!line.starts_with(kCheckpoint)) return false;
  line.remove_prefix(kCheckpoint.size());
  return line.empty() || line.front() == ' ' || line.front() == '\t';
}

bool is_for_ydl(std::string_view line) {
  line = core::trim(line);
  return parse_progress(line) || is_checkpoint(line) || parse_metric(line);
}

std::string plain_text(std::string_view line) {
  std::string shown;
  while (!line.empty()) {
    const auto escape = line.find(kEscape);
    shown += line.substr(0, escape);
    line.remove_prefix(std::min(escape, line.size()));
    if (!line.empty()) line.remove_prefix(escape_length(line));
  }
  return core::printable(shown);
}

void LogLines::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto end = bytes.find_first_of("\r\n");
    const auto piece = bytes.substr(0, end);
    line_ += piece.substr(0, kLongestLine - std::min(kLongestLine, line_.size()));
    if (end == std::string_view::npos) return;
    end_line();
    bytes.remove_prefix(end + 1);
  }
}

void LogLines::end_line() {
  if (auto progress = parse_progress(line_)) {
    progress_ = std::move(progress);
  } else if (is_progress_line(line_)) {
    if (malformed_progress_.empty()) malformed_progress_ = plain_text(std::string_view(line_).substr(0, kLongestQuote));
  } else if (!progress_) {
    bars_.read(line_);
  }
  if (is_checkpoint(line_)) ++checkpoints_;
  if (is_metric_line(line_)) read_metric();
  if (!core::trim(line_).empty()) last_ = line_;
  line_.clear();
}

void LogLines::read_metric() {
  if (auto newer = parse_metric(line_)) {
    if (!metrics_) metrics_.emplace();
    update(*metrics_, *std::move(newer));
  } else if (malformed_metric_.empty()) {
    malformed_metric_ = plain_text(std::string_view(line_).substr(0, kLongestQuote));
  }
}

std::string LogLines::last_line() const {
  auto shown = core::trim(line_).empty() ? std::string() : plain_text(line_);
  return shown.empty() ? plain_text(last_) : shown;
}

}  // namespace ydl::files

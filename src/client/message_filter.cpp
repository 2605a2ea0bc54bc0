#include "client/message_filter.hpp"

#include "files/log_lines.hpp"

namespace ydl::client {
namespace {

constexpr std::string_view kMark = "::";  // with which the lines for ydl begin
constexpr std::size_t kLongestMessage = std::size_t{4} << 10U;

bool may_be_message(std::string_view begun) {
  return begun.size() <= kLongestMessage && (begun.starts_with(kMark) || kMark.starts_with(begun));
}

}  // namespace

std::string MessageFilter::pass(std::string_view bytes) {
  std::string out;
  while (!bytes.empty()) {
    const auto newline = bytes.find('\n');
    const auto piece = bytes.substr(0, newline == std::string_view::npos ? bytes.size() : newline + 1);
    bytes.remove_prefix(piece.size());
    if (at_line_start_ || !held_.empty()) {
      held_ += piece;
      out += pass_held();
    } else {
      out += piece;
    }
    at_line_start_ = piece.ends_with('\n');
  }
  return out;
}

std::string MessageFilter::pass_held() {
  if (!may_be_message(held_)) return rest();
  if (!held_.ends_with('\n')) return {};
  auto line = rest();
  return files::is_for_ydl(line) ? std::string() : line;
}

}  // namespace ydl::client

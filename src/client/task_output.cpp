#include "client/task_output.hpp"

#include "core/strings.hpp"
#include "files/log_lines.hpp"
#include "files/log_tail.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace ydl::client {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "::";  // with which the lines for ydl begin
constexpr std::size_t kLongestMessage = std::size_t{4} << 10U;
constexpr std::size_t kPiece = std::size_t{256} << 10U;
constexpr std::size_t kLastLines = 20;

bool may_be_message(std::string_view begun) {
  return begun.size() <= kLongestMessage && (begun.starts_with(kMark) || kMark.starts_with(begun));
}

// Where the last lines of a log begin.
std::uint64_t start_of_last_lines(const fs::path& path) {
  const auto lines = files::last_lines(path, kLastLines);
  const auto end = files::read_slice(path, 0, 0);
  if (!lines || !end) return 0;
  std::uint64_t bytes = 0;
  for (const auto& line : *lines) bytes += line.size() + 1;
  return end->size - std::min(bytes, end->size);
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

TaskOutput::TaskOutput(jobs::JobFolder folder, core::TaskId task, From from)
    : folder_(std::move(folder)), task_(std::move(task)), from_(from) {}

void TaskOutput::discover() {
  std::vector<int> attempts;
  std::error_code error;
  const auto home = folder_.logs() / task_.file_name();
  for (fs::directory_iterator entry(home, error); !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (const auto attempt = core::parse_int<int>(entry->path().filename().string())) attempts.push_back(*attempt);
  }
  std::ranges::sort(attempts);
  if (from_ == From::last_lines && !attempts.empty()) first_attempt_ = attempts.back();
  for (const int attempt : attempts) {
    if (attempt < first_attempt_) continue;
    for (const auto* stream : {"stdout", "stderr"}) {
      const auto path = home / std::to_string(attempt) / stream;
      if (files_.contains(path.string())) continue;
      const auto start = from_ == From::last_lines ? start_of_last_lines(path) : 0;
      files_.emplace(path.string(), File{stream, start});
    }
  }
  if (!attempts.empty()) from_ = From::start;  // later attempts are shown whole
}

std::vector<TaskOutput::Piece> TaskOutput::poll() {
  discover();
  std::vector<Piece> pieces;
  for (auto& [path, file] : files_) {
    const auto slice = files::read_slice(path, file.offset, kPiece);
    if (!slice || slice->bytes.empty()) continue;
    file.offset += slice->bytes.size();
    pieces.push_back({file.stream, file.filter.pass(slice->bytes)});
  }
  return pieces;
}

std::vector<TaskOutput::Piece> TaskOutput::rest() {
  std::vector<Piece> pieces;
  for (auto& [path, file] : files_) {
    if (auto bytes = file.filter.rest(); !bytes.empty()) pieces.push_back({file.stream, std::move(bytes)});
  }
  return pieces;
}

}  // namespace ydl::client

#include "agent/files/log_watch.hpp"

#include "core/strings.hpp"
#include "files/metric_line.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

constexpr std::size_t kEnd = std::size_t{64} << 10U;  // of a log, in which its last line is looked for

std::string cut(std::string text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  const auto is_inside_character = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  while (most_bytes > 0 && is_inside_character(most_bytes)) --most_bytes;
  text.resize(most_bytes);
  return text;
}

// A line may have bytes and yet show nothing, such as the one that resets a terminal's colours.
std::string last_shown_line(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto newline = bytes.find_last_of("\r\n");
    const auto begin = newline == std::string_view::npos ? 0 : newline + 1;
    auto shown = files::plain_text(bytes.substr(begin, files::LogLines::kLongestLine));
    if (!core::trim(shown).empty()) return shown;
    bytes.remove_suffix(bytes.size() - (begin == 0 ? 0 : newline));
  }
  return {};
}

}  // namespace

LogWatch::LogWatch(core::AttemptId attempt, std::filesystem::path directory, Sink report)
    : attempt_(std::move(attempt)),
      directory_(std::move(directory)),
      report_(std::move(report)),
      out_(directory_ / "stdout"),
      err_(directory_ / "stderr"),
      out_index_(directory_ / "stdout"),
      err_index_(directory_ / "stderr") {}

// What the task writes for ydl counts before the bars that its programs print, in whichever stream.
std::optional<files::Progress> LogWatch::progress() const {
  const auto& out = out_.lines();
  const auto& err = err_.lines();
  if (err.reports_progress() && !out.reports_progress()) return err.progress();
  auto progress = out.progress();
  return progress ? progress : err.progress();
}

std::optional<core::Metrics> LogWatch::metrics() const {
  auto metrics = out_.lines().metrics();
  const auto& of_err = err_.lines().metrics();
  if (!metrics) return of_err;
  if (of_err) files::update(*metrics, *of_err);
  return metrics;
}

std::uint64_t LogWatch::read(core::Instant now) {
  std::uint64_t bytes = 0;
  for (auto* tail : {&out_, &err_}) {
    for (int pieces = 0; pieces < 16; ++pieces) {  // 4 MiB a turn: a task that floods its log does not stop the others
      const auto update = tail->poll();
      if (!update || update->bytes == 0) break;
      latest_ = tail;
      bytes += update->bytes;
    }
  }
  if (bytes > 0 || grew_at_ == core::Instant{}) grew_at_ = now;  // a task that writes nothing is silent from its start
  report_malformed_lines();
  auto line = latest_->lines().last_line();
  auto progress = this->progress();
  auto metrics = this->metrics();
  if (line == said_line_ && progress == said_progress_ && metrics == said_metrics_) return bytes;
  said_line_ = std::move(line);
  said_progress_ = std::move(progress);
  said_metrics_ = std::move(metrics);
  report(now);
  return bytes;
}

void LogWatch::report(core::Instant now) {
  protocol::TaskOutput output{attempt_, said_line_, std::nullopt, {}};
  if (said_progress_) {
    output.progress = said_progress_->fraction;
    output.progress_text = said_progress_->text;
  }
  output.cpu_percent = usage_.latest().cpu_percent;
  output.memory_bytes = usage_.latest().memory_bytes;
  output.quiet_ms = now - grew_at_;
  output.metrics = said_metrics_;
  usage_.reported(now);
  report_(std::move(output));
}

void LogWatch::note_usage(Usage usage, core::Instant now) {
  usage_.note(usage);
  if (usage_.is_worth_report(now, grew_at_)) report(now);
}

// Without it a person waits for a bar that never comes.
void LogWatch::report_malformed_lines() {
  if (!said_malformed_progress_)
    said_malformed_progress_ = report_malformed(&files::LogLines::malformed_progress, "::progress 3/8 text");
  if (!said_malformed_metric_) {
    said_malformed_metric_ = report_malformed(&files::LogLines::malformed_metric, R"(::metric {"step":10,"loss":0.4})");
  }
}

bool LogWatch::report_malformed(MalformedLine malformed, std::string_view form) {
  for (const auto* tail : {&out_, &err_}) {
    const auto& line = (tail->lines().*malformed)();
    if (line.empty()) continue;
    report_(protocol::Note{attempt_, fmt::format("it wrote `{}`, which is not understood: write {}", line, form)});
    return true;
  }
  return false;
}

void LogWatch::note_times(core::Instant now, core::WallTime wall) {
  out_index_.look(out_.size(), now, wall);
  err_index_.look(err_.size(), now, wall);
}

void LogWatch::finish_times() {
  out_index_.finish();
  err_index_.finish();
}

bool LogWatch::take_checkpoint() {
  const auto asked = out_.lines().checkpoints() + err_.lines().checkpoints();
  return std::exchange(taken_checkpoints_, asked) != asked;
}

std::string LogWatch::final_line() const {
  for (const auto* stream : {"stderr", "stdout"}) {
    const auto size = files::read_slice(directory_ / stream, 0, 0);
    if (!size) continue;
    const auto end =
        files::read_slice(directory_ / stream, size->size - std::min<std::uint64_t>(size->size, kEnd), kEnd);
    if (!end) continue;
    if (auto line = last_shown_line(end->bytes); !line.empty()) return cut(std::move(line), kLongestFinalLine);
  }
  return {};
}

protocol::LogPiece LogWatch::piece(const protocol::ReadLog& question) const {
  protocol::LogPiece piece{question.attempt, question.token, question.offset, 0, {}, {}};
  const auto file = directory_ / name(question.stream);
  auto slice =
      files::read_slice(file, question.offset, std::min<std::uint64_t>(question.limit, files::LogTail::kPiece));
  if (slice) {
    piece.size = slice->size;
    piece.bytes.data = std::move(slice->bytes);
  } else {
    piece.problem = slice.error().message;
  }
  return piece;
}

}  // namespace ydl::agent

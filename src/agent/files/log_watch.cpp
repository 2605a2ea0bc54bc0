#include "agent/files/log_watch.hpp"

#include <algorithm>
#include <utility>

namespace ydl::agent {

LogWatch::LogWatch(core::AttemptId attempt, std::filesystem::path directory, Sink report)
    : attempt_(std::move(attempt)),
      directory_(std::move(directory)),
      report_(std::move(report)),
      out_(directory_ / "stdout"),
      err_(directory_ / "stderr") {}

void LogWatch::read() {
  for (auto* tail : {&out_, &err_}) {
    for (int pieces = 0; pieces < 16; ++pieces) {  // 4 MiB a turn: a task that floods its log does not stop the others
      const auto update = tail->poll();
      if (!update || update->bytes == 0) break;
      latest_ = tail;
    }
  }
  auto line = latest_->last_line();
  auto progress = out_.progress() ? out_.progress() : err_.progress();
  if (line == said_line_ && progress == said_progress_) return;
  said_line_ = line;
  said_progress_ = progress;
  protocol::TaskOutput output{attempt_, std::move(line), std::nullopt, {}};
  if (progress) {
    output.progress = progress->fraction;
    output.progress_text = progress->text;
  }
  report_(std::move(output));
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

// What is seen of a task while it runs: its log, and who listens on its ports.
#include "agent/task.hpp"
#include "core/strings.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

// A framework that has not listened by then listens on another port, or on none.
constexpr core::Millis kPortCheckPeriod = core::Seconds(2);
constexpr core::Millis kPortCheckTime = core::Seconds(120);

}  // namespace

const Listeners* LookRound::listeners() {
  if (!listeners_) listeners_ = Listeners::read();
  return *listeners_ ? &**listeners_ : nullptr;
}

const std::vector<ProcessLink>& LookRound::processes() {
  if (!processes_) processes_ = list_processes();
  return *processes_;
}

void Task::look(LookRound& round) {
  if (!running()) return;
  read_log();
  if (!unchecked_ports_.empty() && core::steady_now() >= next_port_check_) check_ports(round);
}

void Task::read_log() {
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
  TaskOutput output{request_.attempt, std::move(line), std::nullopt, {}};
  if (progress) {
    output.progress = progress->fraction;
    output.progress_text = progress->text;
  }
  report_(std::move(output));
}

LogPiece Task::log_piece(const ReadLog& question) const {
  LogPiece piece{question.attempt, question.token, question.offset, 0, {}, {}};
  const auto file = std::filesystem::path(request_.log_directory) / name(question.stream);
  auto slice = read_slice(file, question.offset, std::min<std::uint64_t>(question.limit, LogTail::kPiece));
  if (slice) {
    piece.size = slice->size;
    piece.bytes = std::move(slice->bytes);
  } else {
    piece.problem = slice.error().message;
  }
  return piece;
}

void Task::watch_ports() {
  const auto now = core::steady_now();
  unchecked_ports_ = ports_.ports();
  next_port_check_ = now + kPortCheckPeriod;
  last_port_check_ = now + kPortCheckTime;
}

void Task::check_ports(LookRound& round) {
  const auto now = core::steady_now();
  next_port_check_ = now + kPortCheckPeriod;
  const auto* listeners = round.listeners();
  for (const auto port : std::exchange(unchecked_ports_, {})) {
    PortOwner owner;
    if (listeners != nullptr && listeners->anyone_on(port)) {
      // After the listeners: a process that began to listen is among them.
      std::vector<pid_t> ours{process_->reaper_pid()};
      for (const auto& process : descendants_of(process_->reaper_pid(), round.processes())) ours.push_back(process.pid);
      owner = listeners->owner_of(port, ours);
    }
    if (owner.kind == PortOwner::Kind::nobody && now < last_port_check_) unchecked_ports_.push_back(port);
    if (owner.kind == PortOwner::Kind::stranger) {
      unchecked_ports_.clear();
      start_failed(
          job::Cause::port_taken,
          fmt::format("port {}, held for it, was taken by {}", port,
                      owner.name.empty() ? "another program" : fmt::format("{} (pid {})", owner.name, owner.pid)));
      return;
    }
  }
}

}  // namespace ydl::agent

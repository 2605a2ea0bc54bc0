#pragma once

#include "agent/files/log_index.hpp"
#include "agent/resources/usage_news.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/metrics.hpp"
#include "files/log_lines.hpp"
#include "files/log_tail.hpp"
#include "protocol/commands.hpp"
#include "protocol/reports.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ydl::agent {

// What a running task writes into its two logs: reports the last line and the progress when they change, and with them
// what its processes use.
class LogWatch {
 public:
  using Sink = std::function<void(protocol::Report)>;

  LogWatch(core::AttemptId attempt, std::filesystem::path directory, Sink report);
  LogWatch(const LogWatch&) = delete;
  LogWatch& operator=(const LogWatch&) = delete;

  // Reads what is new; to be called a few times a second, and once after the task's end. Returns how many bytes.
  std::uint64_t read(core::Instant now = core::steady_now());
  // What the task's processes use: reported with the next line, or alone where that is worth a report (usage_news.hpp).
  void note_usage(Usage usage, core::Instant now);
  // Notes in the indexes of the two logs how far read() found them grown; to be called after each read().
  void note_times(core::Instant now, core::WallTime wall);
  // The last entries: the task has ended.
  void finish_times();
  // Whether a line since the last call of this asked that what the task has written is saved now.
  [[nodiscard]] bool take_checkpoint();
  // The last line with something in it, of standard error if it has one, else of standard output, as it can be printed;
  // "" when there is none. For a task that has ended: it is read from the ends of the files, however far read() came.
  [[nodiscard]] std::string final_line() const;
  static constexpr std::size_t kLongestFinalLine = 512;  // bytes; what follows is cut
  [[nodiscard]] protocol::LogPiece piece(const protocol::ReadLog& question) const;

 private:
  [[nodiscard]] std::optional<files::Progress> progress() const;
  [[nodiscard]] std::optional<core::Metrics> metrics() const;
  void report(core::Instant now);
  void report_malformed_lines();
  using MalformedLine = const std::string& (files::LogLines::*)() const;
  // Whether there was one.
  [[nodiscard]] bool report_malformed(MalformedLine malformed, std::string_view form);

  core::AttemptId attempt_;
  std::filesystem::path directory_;
  Sink report_;
  files::LogTail out_;
  files::LogTail err_;
  LogIndex out_index_;
  LogIndex err_index_;
  files::LogTail* latest_ = &err_;  // which of them grew last
  std::string said_line_;
  std::optional<files::Progress> said_progress_;
  std::optional<core::Metrics> said_metrics_;
  bool said_malformed_progress_ = false;
  bool said_malformed_metric_ = false;
  UsageNews usage_;
  core::Instant grew_at_{};
  std::uint64_t taken_checkpoints_ = 0;
};

}  // namespace ydl::agent

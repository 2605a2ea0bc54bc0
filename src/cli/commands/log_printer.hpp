#pragma once

#include "cli/args/commands.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"
#include "ui/line.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace ydl::cli {

// A line that a task wrote, or a part of one.
struct PrintedLine {
  core::TaskId task;
  std::string_view stream;
  std::string_view text;
  bool ends_line = true;
  std::optional<core::WallTime> time = std::nullopt;
  int attempt = 1;
};

// How lines of logs are shown. Pure.
class LogFormat {
 public:
  enum class To { terminal, file };

  // Of the lines of one task the task is not named.
  enum class Tasks { one, several };

  struct Options {
    Tasks tasks = Tasks::several;
    bool both_streams = true;  // of one task: then they are told apart
    bool timestamps = false;
    ui::Style style = {};
    std::size_t name_width = 0;  // of the longest name of a task, for a terminal
  };

  explicit LogFormat(const Options& options) : options_(options) {}

  // A terminal gets no control characters: they are a task's, and may come from data that it read. A file gets the
  // task's bytes.
  [[nodiscard]] std::string line(const PrintedLine& line, To to) const;

 private:
  [[nodiscard]] std::string mark(const PrintedLine& line, To to) const;

  Options options_;
};

// Prints lines of logs as `ydl logs` was asked to: one task's as they are, its stderr on ours; those of several tasks
// with their names before them; or as JSON.
class LogPrinter {
 public:
  LogPrinter(const Logs& command, std::string job, LogFormat::Options format);
  ~LogPrinter() { flush(); }
  LogPrinter(const LogPrinter&) = delete;
  LogPrinter& operator=(const LogPrinter&) = delete;

  // False: standard output is closed.
  bool print(const PrintedLine& line);
  // Writes what has been put together so far.
  void flush();

  // `format` with what the command and the terminal say.
  [[nodiscard]] static LogFormat::Options format_of(const Logs& command);

 private:
  [[nodiscard]] int target_of(const PrintedLine& line) const;

  bool is_json_;
  bool is_one_task_;
  std::string job_;
  LogFormat format_;
  LogFormat::To output_;
  LogFormat::To errors_;
  std::string text_;  // for target_
  int target_ = 1;
  std::optional<int> begun_;  // the attempt whose last line has no end
  bool is_closed_ = false;
};

}  // namespace ydl::cli

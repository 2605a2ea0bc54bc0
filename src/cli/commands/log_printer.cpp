#include "cli/commands/log_printer.hpp"

#include "cli/commands/common.hpp"
#include "core/strings.hpp"
#include "ui/json.hpp"
#include "ui/screen.hpp"
#include "ui/text.hpp"

#include <array>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

constexpr std::size_t kMostText = std::size_t{64} << 10U;
constexpr std::string_view kNoTime = "-                       ";  // as wide as a time
// Red is left for standard error.
constexpr std::array kTaskColours{36, 33, 32, 35, 34, 96, 93, 92, 95, 94};

std::string coloured(std::string_view text, int colour, const ui::Style& style) {
  return style.colour == ui::Colour::off ? std::string(text) : fmt::format("\x1b[{}m{}\x1b[0m", colour, text);
}

// The same for a task at all times; tasks of a role that follow each other differ.
int colour_of(const core::TaskId& task) {
  std::size_t sum = static_cast<std::size_t>(task.index);
  for (const char letter : task.role) sum += static_cast<unsigned char>(letter);
  return kTaskColours[sum % kTaskColours.size()];
}

LogFormat::To kind_of(int fd, const CommonOptions& options) {
  const bool is_terminal = options.output != ui::Mode::json && ui::Screen(fd).is_terminal();
  return is_terminal ? LogFormat::To::terminal : LogFormat::To::file;
}

}  // namespace

std::string LogFormat::mark(const PrintedLine& line, To to) const {
  const bool is_error = line.stream == "stderr";
  if (to == To::file) return options_.tasks == Tasks::several ? fmt::format("[{}] ", line.task.str()) : std::string();
  const auto error_mark = coloured("!", 31, options_.style);
  if (options_.tasks == Tasks::one) return is_error && options_.both_streams ? error_mark + " " : std::string();
  const auto bar = options_.style.charset == ui::Charset::unicode ? "│" : "|";
  return fmt::format(
      "{} {} ",
      coloured(fmt::format("{:<{}}", line.task.str(), options_.name_width), colour_of(line.task), options_.style),
      is_error ? error_mark : bar);
}

std::string LogFormat::line(const PrintedLine& line, To to) const {
  std::string text;
  if (options_.timestamps) text = (line.time ? core::format_utc(*line.time) : std::string(kNoTime)) + " ";
  text += mark(line, to);
  text += to == To::terminal ? ui::clean(line.text) : std::string(line.text);
  const bool is_raw = to == To::file && options_.tasks == Tasks::one && !options_.timestamps;
  if (line.ends_line || !is_raw) text += '\n';
  return text;
}

LogFormat::Options LogPrinter::format_of(const Logs& command) {
  const bool is_one = command.task.contains(':');
  return {.tasks = is_one ? LogFormat::Tasks::one : LogFormat::Tasks::several,
          .both_streams = command.stream.empty(),
          .timestamps = command.timestamps,
          .style = ui::terminal_style()};
}

LogPrinter::LogPrinter(const Logs& command, std::string job, LogFormat::Options format)
    : is_json_(wants_json(command.common)),
      is_one_task_(format.tasks == LogFormat::Tasks::one),
      job_(std::move(job)),
      format_(format),
      output_(kind_of(STDOUT_FILENO, command.common)),
      errors_(kind_of(STDERR_FILENO, command.common)) {}

int LogPrinter::target_of(const PrintedLine& line) const {
  return !is_json_ && is_one_task_ && line.stream == "stderr" ? STDERR_FILENO : STDOUT_FILENO;
}

bool LogPrinter::print(const PrintedLine& line) {
  const int target = target_of(line);
  if (target != target_) {
    flush();
    begun_.reset();
  }
  target_ = target;
  if (begun_ && *begun_ != line.attempt) text_ += '\n';
  text_ += is_json_ ? ui::json_log_line({line.task, std::string(line.stream), std::string(line.text)}, job_, line.time)
                    : format_.line(line, target == STDERR_FILENO ? errors_ : output_);
  begun_ = text_.empty() || text_.ends_with('\n') ? std::nullopt : std::optional(line.attempt);
  if (text_.size() >= kMostText) flush();
  return !is_closed_;
}

void LogPrinter::flush() {
  if (text_.empty()) return;
  if (!ui::Screen(target_).write(std::exchange(text_, {})) && target_ == STDOUT_FILENO) is_closed_ = true;
}

}  // namespace ydl::cli

#pragma once

#include "core/result.hpp"
#include "core/user.hpp"
#include "ui/frame.hpp"
#include "ui/line.hpp"
#include "ui/model.hpp"
#include "ui/words.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::ui {

enum class Mode { automatic, tty, plain, json, quiet };

// "auto", "tty", "plain", "json" or "quiet"; anything else is Errc::usage.
[[nodiscard]] core::Result<Mode> parse_mode(std::string_view text);
[[nodiscard]] std::string_view name(Mode mode);

enum class OutputKind { terminal, other };

// Never automatic: tty on a terminal that can move its cursor, else plain.
[[nodiscard]] Mode resolve_mode(Mode mode, OutputKind output, const core::Getenv& getenv = core::process_getenv);

enum class Stream { out, err };

// A row of ours below everything else: a question, or a hint. The first text that fits the screen is shown; none: there
// is no such row.
using Footer = std::vector<std::string>;

// What lines of text tell of a job's tasks.
enum class Detail {
  gang,   // what concerns them all, and single ones where they differ
  tasks,  // every step of each
};

struct DisplayOptions {
  Style style;
  UtcOffset utc_offset;  // for clock times; none: UTC
  Detail detail = Detail::gang;
};

// What a person or a program sees while a job runs. Every call returns the bytes to write now, in one write, to
// target(); they are often empty. Nothing here does I/O or asks for the time.
//
// Life: update as long as nothing but the job's state is known, begin, then any of update, event, log, output, footer,
// failure, refresh, then finish, or abort where the rest is not waited for. The driver calls refresh at the
// times of next_refresh. After abort a call to update shows the display again. Not thread-safe.
class Display {
 public:
  Display() = default;
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;
  virtual ~Display() = default;

  [[nodiscard]] virtual Stream target() const { return Stream::out; }

  [[nodiscard]] virtual std::string begin(const JobView& job, const Frame& frame) = 0;
  [[nodiscard]] virtual std::string update(const JobView& job, const Frame& frame) = 0;
  // An event whose number is not higher than the last one's is left out: followers that reconnect get some twice.
  [[nodiscard]] virtual std::string event(const EventView& event, const Frame& frame) = 0;
  [[nodiscard]] virtual std::string log(const LogLine& line, const Frame& frame) = 0;
  [[nodiscard]] virtual std::string failure(const FailureView& failure, const Frame& frame) = 0;
  // The job as it ended, or as it is when the user leaves it running.
  [[nodiscard]] virtual std::string finish(const JobView& job, const Frame& frame) = 0;

  // Bytes of the only task of a job, on a terminal: they pass unchanged.
  [[nodiscard]] virtual std::string output(std::string_view, const Frame&) { return {}; }
  [[nodiscard]] virtual std::string footer(const Footer&, const Frame&) { return {}; }
  [[nodiscard]] virtual std::string refresh(const Frame&) { return {}; }
  // How long until refresh has something to show; nothing: never.
  [[nodiscard]] virtual std::optional<core::Millis> next_refresh(core::Instant) const { return std::nullopt; }
  // Removes what is redrawn in place, so that other text can be written to the terminal.
  [[nodiscard]] virtual std::string abort(const Frame&) { return {}; }
};

// Of a resolved mode; automatic counts as plain.
[[nodiscard]] std::unique_ptr<Display> make_display(Mode mode, DisplayOptions options);

// Lets each numbered event pass once.
class EventFilter {
 public:
  [[nodiscard]] bool is_new(const EventView& event);

 private:
  std::uint64_t last_ = 0;
};

}  // namespace ydl::ui

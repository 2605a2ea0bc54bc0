#include "ui/display.hpp"

#include "core/strings.hpp"
#include "ui/json.hpp"
#include "ui/plain.hpp"
#include "ui/quiet.hpp"
#include "ui/tty.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace ydl::ui {
namespace {

constexpr std::array<std::pair<std::string_view, Mode>, 5> kModes{{{"auto", Mode::automatic},
                                                                   {"tty", Mode::tty},
                                                                   {"plain", Mode::plain},
                                                                   {"json", Mode::json},
                                                                   {"quiet", Mode::quiet}}};
constexpr std::array<std::string_view, 5> kNames{"auto", "tty", "plain", "json", "quiet"};

}  // namespace

core::Result<Mode> parse_mode(std::string_view text) {
  for (const auto& [known, mode] : kModes) {
    if (known == text) return mode;
  }
  return core::fail(core::Errc::usage,
                    fmt::format("--output: unknown mode '{}'{} (available: {})", core::printable(text),
                                core::did_you_mean(text, kNames), fmt::join(kNames, ", ")));
}

std::string_view name(Mode mode) {
  for (const auto& [known, value] : kModes) {
    if (value == mode) return known;
  }
  return "auto";
}

Mode resolve_mode(Mode mode, OutputKind output, const core::Getenv& getenv) {
  if (mode != Mode::automatic) return mode;
  const auto term = getenv("TERM").value_or("");
  const bool can_move_cursor = output == OutputKind::terminal && !term.empty() && term != "dumb";
  return can_move_cursor ? Mode::tty : Mode::plain;
}

std::unique_ptr<Display> make_display(Mode mode, DisplayOptions options) {
  switch (mode) {
    case Mode::tty:
      return std::make_unique<TtyDisplay>(std::move(options));
    case Mode::json:
      return std::make_unique<JsonDisplay>();
    case Mode::quiet:
      return std::make_unique<QuietDisplay>();
    case Mode::automatic:
    case Mode::plain:
      break;
  }
  return std::make_unique<PlainDisplay>(std::move(options));
}

bool EventFilter::is_new(const EventView& event) {
  if (event.seq == 0) return true;
  if (event.seq <= last_) return false;
  last_ = event.seq;
  return true;
}

}  // namespace ydl::ui

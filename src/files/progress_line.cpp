#include "files/progress_line.hpp"

#include "core/strings.hpp"
#include "files/log_lines.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ydl::files {
namespace {

constexpr std::string_view kProgress = "::progress";
constexpr std::string_view kDigits = "0123456789";
constexpr double kRounding = 1e-6;  // sums of many small steps end a little above 1

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> part_of(const std::optional<double>& done, const std::optional<double>& all) {
  if (!done || !all || !(*all > 0)) return std::nullopt;
  const double fraction = *done / *all;
  if (!(fraction >= 0 && fraction <= 1 + kRounding)) return std::nullopt;
  return std::min(fraction, 1.0);
}

// "3/8", "42%" or "0.42".
std::optional<double> parse_fraction(std::string_view word) {
  if (const auto slash = word.find('/'); slash != std::string_view::npos)
    return part_of(number(word.substr(0, slash)), number(word.substr(slash + 1)));
  if (word.ends_with('%')) return part_of(number(word.substr(0, word.size() - 1)), 100);
  return part_of(number(word), 1);
}

// "42/100" at the start of `text`, without a unit behind it.
struct Count {
  double fraction = 0;
  std::string_view text;
};
std::optional<Count> count_at_start(std::string_view text) {
  const auto end = std::min(text.find_first_not_of("0123456789/"), text.size());
  const auto word = text.substr(0, end);
  const auto slash = word.find('/');
  if (slash == std::string_view::npos || word.find('/', slash + 1) != std::string_view::npos) return std::nullopt;
  if (end < text.size() && text[end] != ' ') return std::nullopt;
  const auto fraction = part_of(number(word.substr(0, slash)), number(word.substr(slash + 1)));
  if (!fraction) return std::nullopt;
  return Count{*fraction, word};
}

void add_part(std::string& text, std::string_view part) {
  part = core::trim(part);
  if (!part.empty()) text.append(text.empty() ? "" : ", ").append(part);
}

// Removes `prefix` from the front as often as it is there; whether it was.
bool skip_all(std::string_view& text, std::string_view prefix) {
  bool found = false;
  for (; text.starts_with(prefix); found = true) text.remove_prefix(prefix.size());
  return found;
}

// Moves past "[=====>.....]" or "━━━━━━━━━".
bool skip_keras_bar(std::string_view& text) {
  if (skip_all(text, "━")) return true;
  if (!text.starts_with('[')) return false;
  text.remove_prefix(1);
  const auto end = text.find_first_not_of("=>.");
  if (end == 0 || end == std::string_view::npos || text[end] != ']') return false;
  text.remove_prefix(end + 1);
  return true;
}

}  // namespace

bool is_progress_line(std::string_view line) {
  if (!line.starts_with(kProgress)) return false;
  line.remove_prefix(kProgress.size());
  return line.empty() || line.front() == ' ' || line.front() == '\t' || line.front() == ':' || line.front() == '=';
}

std::optional<Progress> parse_progress(std::string_view line) {
  if (!is_progress_line(line)) return std::nullopt;
  line.remove_prefix(kProgress.size());
  if (!line.starts_with(' ') && !line.starts_with('\t')) return std::nullopt;
  line = core::trim(line);
  const auto word = line.substr(0, line.find_first_of(" \t"));
  const auto fraction = parse_fraction(word);
  if (!fraction) return std::nullopt;
  return Progress{*fraction, plain_text(core::trim(line.substr(word.size())))};
}

std::optional<Progress> parse_tqdm_bar(std::string_view line) {
  if (line.find("%|") == std::string_view::npos) return std::nullopt;  // most lines cost no more than this
  const auto shown = plain_text(line);
  line = shown;
  const auto percent_end = line.find("%|");
  if (percent_end == std::string_view::npos) return std::nullopt;
  auto before = line.substr(0, percent_end);
  const auto last_other = before.find_last_not_of(kDigits);
  const auto percent_begin = last_other == std::string_view::npos ? 0 : last_other + 1;
  const auto percent = part_of(number(before.substr(percent_begin)), 100);
  const auto bar_end = line.find('|', percent_end + 2);
  if (!percent || bar_end == std::string_view::npos) return std::nullopt;
  before = core::trim(before.substr(0, percent_begin));
  if (before.ends_with(':')) before.remove_suffix(1);

  auto counts = core::trim(line.substr(bar_end + 1));
  const auto open = counts.find(" [");
  const auto close = counts.rfind(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::nullopt;
  const auto times = counts.substr(open + 2, close - open - 2);
  counts = counts.substr(0, open);
  if (times.find('<') == std::string_view::npos || counts.find('/') == std::string_view::npos) return std::nullopt;
  const auto count = count_at_start(counts);

  std::string text;
  add_part(text, before);
  add_part(text, counts);
  // After the times and the rate come the values of set_postfix().
  const auto rate = times.find(", ");
  const auto values = rate == std::string_view::npos ? rate : times.find(", ", rate + 2);
  if (values != std::string_view::npos) add_part(text, times.substr(values + 2));
  return Progress{count ? count->fraction : *percent, std::move(text)};
}

std::optional<Progress> parse_keras_bar(std::string_view line) {
  const bool may_be_bar = line.find("━") != std::string_view::npos || line.find(" [") != std::string_view::npos;
  if (!may_be_bar) return std::nullopt;
  const auto shown = plain_text(line);
  line = core::trim(shown);
  const auto count = count_at_start(line);
  if (!count) return std::nullopt;
  auto rest = line.substr(count->text.size());
  if (!skip_all(rest, " ") || !skip_keras_bar(rest)) return std::nullopt;
  std::string text(count->text);
  for (;;) {
    const auto dash = rest.find(" - ");
    if (dash == std::string_view::npos) break;
    rest.remove_prefix(dash + 3);
    const auto part = rest.substr(0, rest.find(" - "));
    if (part.find(": ") != std::string_view::npos && !part.starts_with("ETA:")) add_part(text, part);
  }
  return Progress{count->fraction, std::move(text)};
}

std::optional<BarReader::Epoch> BarReader::parse_epoch(std::string_view line) {
  constexpr std::string_view kEpoch = "Epoch ";
  if (!line.starts_with(kEpoch)) return std::nullopt;
  line = core::trim(line.substr(kEpoch.size()));
  const auto slash = line.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto number = core::parse_int<int>(line.substr(0, slash));
  const auto of = core::parse_int<int>(line.substr(slash + 1));
  if (!number || !of || *number < 1 || *of < *number) return std::nullopt;
  return Epoch{*number, *of};
}

std::optional<Progress> BarReader::bar_of(std::string_view line) const {
  if (auto bar = parse_tqdm_bar(line)) return bar;
  auto bar = parse_keras_bar(line);
  if (!bar || !epoch_) return bar;
  return Progress{(epoch_->number - 1 + bar->fraction) / epoch_->of,
                  fmt::format("epoch {}/{}, {}", epoch_->number, epoch_->of, bar->text)};
}

void BarReader::read(std::string_view line) {
  if (const auto epoch = parse_epoch(line)) {
    epoch_ = epoch;
  } else if (auto bar = bar_of(line)) {
    bar_ = std::move(bar);
  }
}

std::optional<Progress> BarReader::latest(std::string_view unfinished) const {
  if (auto bar = bar_of(unfinished)) return bar;
  return bar_;
}

}  // namespace ydl::files

#include "files/metric_line.hpp"

#include "core/strings.hpp"

#include <cmath>
#include <string>
#include <utility>

#include <boost/json.hpp>

namespace ydl::files {
namespace {

namespace json = boost::json;
using core::Metrics;

constexpr std::string_view kMetric = "::metric";
constexpr std::string_view kStep = "step";

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= Metrics::kLongestName && core::printable(name) == name;
}

std::optional<std::int64_t> whole_number(const json::value& value) {
  if (!value.is_number()) return std::nullopt;
  json::error_code error;
  const auto number = value.to_number<std::int64_t>(error);  // 10.0 is a whole number too
  return error ? std::nullopt : std::optional(number);
}

}  // namespace

bool is_metric_line(std::string_view line) {
  if (!line.starts_with(kMetric)) return false;
  line.remove_prefix(kMetric.size());
  return line.empty() || line.front() == ' ' || line.front() == '\t' || line.front() == ':' || line.front() == '=' ||
         line.front() == '{';
}

std::optional<Metrics> parse_metric(std::string_view line) {
  if (!is_metric_line(line)) return std::nullopt;
  line = core::trim(line.substr(kMetric.size()));
  json::error_code error;
  json::parse_options options;
  options.max_depth = 2;
  const auto value = json::parse(line, error, {}, options);
  if (error || !value.is_object()) return std::nullopt;
  Metrics metrics;
  for (const auto& [key, item] : value.get_object()) {
    const std::string_view name(key);
    if (name == kStep) {
      metrics.step = whole_number(item);
      if (!metrics.step) return std::nullopt;
      continue;
    }
    if (!is_name(name) || !(item.is_number() || item.is_null())) return std::nullopt;
    const auto number = item.is_null() ? std::nan("") : item.to_number<double>();
    metrics.values[std::string(name)] = std::isfinite(number) ? std::optional(number) : std::nullopt;
  }
  if (metrics.values.empty() || metrics.values.size() > Metrics::kMost) return std::nullopt;
  return metrics;
}

void update(Metrics& metrics, Metrics newer) {
  if (newer.step) metrics.step = newer.step;
  for (auto& [name, value] : newer.values) {
    if (const auto known = metrics.values.find(name); known != metrics.values.end()) {
      known->second = value;
    } else if (metrics.values.size() < Metrics::kMost) {
      metrics.values.emplace(name, value);
    }
  }
}

}  // namespace ydl::files

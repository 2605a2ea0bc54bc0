#include "protocol/reports.hpp"

#include "core/base64.hpp"
#include "core/described_variant.hpp"
#include "core/metrics_json.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ydl::core {

template <>
struct JsonValue<protocol::Bytes> {
  static boost::json::value write(const protocol::Bytes& value) { return boost::json::string(to_base64(value.data)); }
  static Result<protocol::Bytes> read(const boost::json::value& value) {
    const auto text = JsonValue<std::string>::read(value);
    if (!text) return fail(text.error());
    auto bytes = from_base64(*text);
    if (!bytes) return fail(bytes.error());
    return protocol::Bytes{*std::move(bytes)};
  }
};

}  // namespace ydl::core

namespace ydl::protocol {
namespace {

using core::Errc;
using core::fail;
using core::Result;

constexpr core::AlternativeNames<Report> kNames{
    "prepared", "prepare_failed", "started",        "start_failed",     "saving",
    "saved",    "silent",         "writes",         "exited",           "gone",
    "output",   "note",           "scheduler_note", "scheduler_broken", "log_piece"};

// Values that an agent would not have read from a log: they would be in every view of the job.
bool is_sendable(const core::Metrics& metrics) {
  return metrics.values.size() <= core::Metrics::kMost && std::ranges::all_of(metrics.values, [](const auto& metric) {
           const auto& [name, value] = metric;
           return name.size() <= core::Metrics::kLongestName && std::isfinite(value.value_or(0));
         });
}

// Reports come from the hosts of tasks: numbers that no agent sends are found here.
struct Check {
  Result<void> operator()(const Prepared& report) const {
    for (const auto port : report.ports) {
      if (port == 0) return fail(Errc::corrupt, "'ports' contains 0");
    }
    return {};
  }
  Result<void> operator()(const TaskExited& report) const {
    const auto& status = report.status;
    if (status.code < 0 || status.code > 255)
      return fail(Errc::corrupt, fmt::format("'code' is out of range: {}", status.code));
    if (status.signal < 0 || status.signal > 127)
      return fail(Errc::corrupt, fmt::format("'signal' is out of range: {}", status.signal));
    return {};
  }
  Result<void> operator()(const auto& /*report*/) const { return {}; }
};

}  // namespace

boost::json::object to_json(const Report& report) {
  return core::write_alternative("type", kNames, report);
}

Result<Report> report_from_json(const boost::json::object& object) {
  auto report = core::read_alternative<Report>("type", kNames, object);
  if (!report) return report;
  if (const auto checked = std::visit(Check{}, *report); !checked) return fail(checked.error());
  if (auto* output = std::get_if<TaskOutput>(&*report)) {
    auto& progress = output->progress;
    if (progress && !(*progress >= 0 && *progress <= 1)) progress.reset();  // infinity could not be passed on as JSON
    if (output->cpu_percent && *output->cpu_percent < 0) output->cpu_percent.reset();
    if (output->quiet_ms && *output->quiet_ms < core::Millis(0)) output->quiet_ms.reset();
    if (output->metrics && !is_sendable(*output->metrics)) output->metrics.reset();
  }
  return report;
}

}  // namespace ydl::protocol

#pragma once

#include "core/described_json.hpp"
#include "core/metrics.hpp"

// For the files that read and write records with metrics.
namespace ydl::core {

template <>
struct JsonValue<std::optional<double>> {
  static boost::json::value write(const std::optional<double>& value) {
    return value ? boost::json::value(*value) : boost::json::value(nullptr);
  }
  static Result<std::optional<double>> read(const boost::json::value& value) {
    if (value.is_null()) return std::optional<double>();
    const auto number = JsonValue<double>::read(value);
    if (!number) return fail(number.error());
    return std::optional(*number);
  }
};

}  // namespace ydl::core

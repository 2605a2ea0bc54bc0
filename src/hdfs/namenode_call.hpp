#pragma once

#include "core/result.hpp"
#include "hrpc/method.hpp"

#include <string_view>

// Helpers to define the methods in namenode_*.cpp.
namespace ydl::hdfs {

inline constexpr std::string_view kClientProtocol = "org.apache.hadoop.hdfs.protocol.ClientProtocol";

constexpr hrpc::Method idempotent(std::string_view name) {
  return {kClientProtocol, name, hrpc::Repeat::idempotent};
}
constexpr hrpc::Method at_most_once(std::string_view name) {
  return {kClientProtocol, name, hrpc::Repeat::at_most_once};
}

// For methods with an empty answer.
template <class Response>
[[nodiscard]] core::Result<> without_value(core::Result<Response> answer) {
  if (!answer) return core::fail(std::move(answer).error());
  return {};
}

}  // namespace ydl::hdfs

#pragma once

#include "core/result.hpp"
#include "hrpc/method.hpp"

#include <string_view>

// How the stub's methods are written down; for namenode_*.cpp.
namespace ydl::hdfs {

inline constexpr std::string_view kClientProtocol = "org.apache.hadoop.hdfs.protocol.ClientProtocol";

constexpr hrpc::Method idempotent(std::string_view name) {
  return {kClientProtocol, name, hrpc::Repeat::idempotent};
}
constexpr hrpc::Method at_most_once(std::string_view name) {
  return {kClientProtocol, name, hrpc::Repeat::at_most_once};
}

// For methods whose answer says nothing but that it was done.
template <class Response>
[[nodiscard]] core::Result<> only_failure(core::Result<Response> answer) {
  if (!answer) return core::fail(std::move(answer).error());
  return {};
}

}  // namespace ydl::hdfs

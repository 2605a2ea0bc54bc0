#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"
#include "hconf/config.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace ydl::hconf {

// Reads many values one after the other and keeps the first error, so that the caller checks for errors only once, in
// finish().
class Reader {
 public:
  explicit Reader(const Config& config) : config_(config) {}

  core::Millis millis(std::string_view key) { return take(config_.get_time(key, core::Millis(1))); }
  // A number of retries, limited to one million, which is as good as no limit. -1 stays -1.
  int count(std::string_view key);
  std::int64_t bytes(std::string_view key) { return take(config_.get_bytes(key)); }

  // The value, or a default-constructed one after an error.
  template <class T>
  T take(core::Result<T> value) {
    if (value) return std::move(*value);
    fail(std::move(value).error());
    return T{};
  }
  void fail(core::Error error) {
    if (!error_) error_ = std::move(error);
  }
  // "hdfs-site.xml:12: KEY has 'VALUE'; it may be ...".
  void wrong(std::string_view key, std::string_view may_be);

  [[nodiscard]] const Config& config() const { return config_; }

  // `made`, or the first error.
  template <class T>
  core::Result<T> finish(T made) {
    if (error_) return core::fail(std::move(*error_));
    return made;
  }

 private:
  const Config& config_;
  std::optional<core::Error> error_;
};

}  // namespace ydl::hconf

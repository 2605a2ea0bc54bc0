#pragma once

#include "core/derived_key.hpp"
#include "core/ids.hpp"
#include "core/strings.hpp"

#include <string>
#include <utility>

namespace ydl::protocol {

// The keys of one job, all derived from one key. The owner's key permits every call of the master's API; the key of an
// agent permits only the calls of that agent. Tasks have no key.
class JobKeys {
 public:
  explicit JobKeys(std::string job_key) : job_key_(std::move(job_key)) {}
  [[nodiscard]] static std::string make_job_key() { return core::random_hex(32); }

  [[nodiscard]] std::string owner() const { return core::derive_key(job_key_, "ydl owner"); }
  [[nodiscard]] std::string agent(std::string_view id) const {
    return core::derive_key(job_key_, std::string("ydl agent ") += id);
  }

 private:
  std::string job_key_;
};

}  // namespace ydl::protocol

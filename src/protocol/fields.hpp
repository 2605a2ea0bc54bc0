#pragma once

#include "core/ids.hpp"
#include "core/result.hpp"
#include "protocol/epoch.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

// Fields that commands and reports have in common; for protocol_*.cpp. Errors: corrupt, naming the key.
namespace ydl::protocol {

[[nodiscard]] boost::json::object begin(std::string_view type, const core::AttemptId& attempt);
[[nodiscard]] core::Result<core::AttemptId> attempt_of(const boost::json::object& object);
[[nodiscard]] core::Result<Epoch> epoch_of(const boost::json::object& object);
// Counts and small numbers: in [0, limit].
[[nodiscard]] core::Result<int> small_int(const boost::json::object& object, std::string_view key,
                                          std::int64_t limit = 1'000'000'000);
// Sizes and offsets: not negative.
[[nodiscard]] core::Result<std::uint64_t> natural(const boost::json::object& object, std::string_view key);
[[nodiscard]] core::Result<std::vector<std::uint16_t>> ports_of(const boost::json::object& object,
                                                                std::string_view key);
[[nodiscard]] core::Result<std::vector<std::string>> strings_of(const boost::json::object& object,
                                                                std::string_view key);

}  // namespace ydl::protocol

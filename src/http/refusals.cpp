#include "http/refusals.hpp"

#include "core/strings.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace ydl::http {

std::string_view describe(Refusal refusal) {
  switch (refusal) {
    case Refusal::no_key:
      return "without a key";
    case Refusal::wrong_key:
      return "with a wrong key";
    case Refusal::not_allowed:
      return "not permitted by the job's ACL";
    case Refusal::not_tls:
      return "not TLS 1.3";
    case Refusal::no_certificate:
      return "without the certificate of the ResourceManager's proxy";
    case Refusal::not_http:
      return "not HTTP";
    case Refusal::no_header:
      return "no complete header in time";
    case Refusal::dropped:
      return "connected without sending a key, closed because newer connections needed the room";
    case Refusal::large_body:
      return "with a body over the limit";
    case Refusal::no_body:
      return "no complete body in time";
  }
  return "";
}

void RefusalLog::add(std::string_view address, Refusal what) {
  const auto found = groups_.find(std::pair{std::string(address), what});
  if (found != groups_.end())
    ++found->second;
  else if (groups_.size() < kMostGroups)
    groups_.emplace(std::pair{std::string(address), what}, 1);
  else
    ++others_;
}

std::optional<core::Instant> RefusalLog::due() const {
  return groups_.empty() ? std::nullopt : std::optional(next_);
}

std::optional<std::string> RefusalLog::take(core::Instant now) {
  if (groups_.empty() || now < next_) return std::nullopt;
  next_ = now + kPeriod;
  std::uint64_t total = others_;
  std::vector<std::string> parts;
  for (const auto& [group, count] : groups_) {
    total += count;
    parts.push_back(fmt::format("{} from {} ({})", count, group.first, describe(group.second)));
  }
  if (others_ > 0) parts.push_back(fmt::format("{} of others", others_));
  groups_.clear();
  others_ = 0;
  return fmt::format("the master refused {}: {}", core::plural(static_cast<std::int64_t>(total), "call"),
                     core::join(parts, ", "));
}

}  // namespace ydl::http

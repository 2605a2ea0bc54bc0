#include "yarn/ids.hpp"

#include "core/strings.hpp"

#include <optional>
#include <span>

#include <fmt/format.h>

namespace ydl::yarn {
namespace {

constexpr int kEpochShift = 40;
constexpr std::int64_t kNumberMask = (std::int64_t{1} << kEpochShift) - 1;
constexpr std::int64_t kMaxEpoch = (std::int64_t{1} << (63 - kEpochShift)) - 1;

std::unexpected<core::Error> malformed(std::string_view text, std::string_view example) {
  return core::fail(core::Errc::usage,
                    fmt::format("'{}' is not a YARN id: it must have the form {}", core::printable(text), example));
}

// A number in an id: digits only, so it cannot be negative.
template <class Int>
std::optional<Int> number(std::string_view digits) {
  if (digits.empty() || digits.front() < '0' || digits.front() > '9') return std::nullopt;
  return core::parse_int<Int>(digits);
}

std::optional<ApplicationId> application_of(std::span<const std::string_view> parts) {
  const auto timestamp = number<std::int64_t>(parts[0]);
  const auto id = number<std::int32_t>(parts[1]);
  if (!timestamp || !id) return std::nullopt;
  return ApplicationId{*timestamp, *id};
}

std::optional<ApplicationAttemptId> attempt_of(std::span<const std::string_view> parts) {
  const auto application = application_of(parts);
  const auto attempt = number<std::int32_t>(parts[2]);
  if (!application || !attempt) return std::nullopt;
  return ApplicationAttemptId{*application, *attempt};
}

}  // namespace

std::string ApplicationId::str() const {
  return fmt::format("application_{}_{:04}", cluster_timestamp, id);
}

core::Result<ApplicationId> ApplicationId::parse(std::string_view text) {
  const auto parts = core::split(text, '_');
  if (parts.size() == 3 && parts[0] == "application") {
    if (const auto id = application_of(std::span(parts).subspan(1))) return *id;
  }
  return malformed(text, "application_1700000000000_0012");
}

std::string ApplicationAttemptId::str() const {
  return fmt::format("appattempt_{}_{:04}_{:06}", application.cluster_timestamp, application.id, attempt);
}

core::Result<ApplicationAttemptId> ApplicationAttemptId::parse(std::string_view text) {
  const auto parts = core::split(text, '_');
  if (parts.size() == 4 && parts[0] == "appattempt") {
    if (const auto id = attempt_of(std::span(parts).subspan(1))) return *id;
  }
  return malformed(text, "appattempt_1700000000000_0012_000003");
}

std::string ContainerId::str() const {
  const std::int64_t epoch = id >> kEpochShift;
  const std::string prefix = epoch > 0 ? fmt::format("e{:02}_", epoch) : "";
  return fmt::format("container_{}{}_{:04}_{:02}_{:06}", prefix, attempt.application.cluster_timestamp,
                     attempt.application.id, attempt.attempt, id & kNumberMask);
}

core::Result<ContainerId> ContainerId::parse(std::string_view text) {
  constexpr std::string_view kExample = "container_1700000000000_0012_03_000005";
  const auto parts = core::split(text, '_');
  if (parts.size() < 5 || parts[0] != "container") return malformed(text, kExample);
  auto rest = std::span(parts).subspan(1);
  std::int64_t epoch = 0;
  if (rest[0].starts_with('e')) {
    const auto said = number<std::int64_t>(rest[0].substr(1));
    if (!said || *said > kMaxEpoch) return malformed(text, kExample);
    epoch = *said;
    rest = rest.subspan(1);
  }
  if (rest.size() != 4) return malformed(text, kExample);
  const auto attempt = attempt_of(rest);
  const auto count = number<std::int64_t>(rest[3]);
  if (!attempt || !count || *count > kNumberMask) return malformed(text, kExample);
  return ContainerId{*attempt, (epoch << kEpochShift) | *count};
}

std::string NodeId::str() const {
  return fmt::format("{}:{}", host, port);
}

}  // namespace ydl::yarn

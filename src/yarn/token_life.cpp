#include "yarn/token_life.hpp"

#include "core/strings.hpp"
#include "yarn/convert.hpp"
#include "yarn/token_identifiers.hpp"
#include "yarn/writable_codec.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::yarn {
namespace {

constexpr core::Millis kWarnBefore = std::chrono::hours(1);

// version 0, owner, renewer, real user, issued, max date, sequence number, key: AbstractDelegationTokenIdentifier.
core::Result<DelegationTokenIdentifier> decode_identifier(std::string_view rest) {
  if (rest.empty() || rest.front() != 0) return core::fail(core::Errc::corrupt, "the version is not 0");
  rest.remove_prefix(1);
  DelegationTokenIdentifier identifier;
  for (auto* text : {&identifier.owner, &identifier.renewer, &identifier.real_user}) {
    const auto taken = take_sized(rest);
    if (!taken) return core::fail(taken.error());
    *text = *taken;
  }
  for (auto* time : {&identifier.issued, &identifier.max_date}) {
    const auto taken = take_vlong(rest);
    if (!taken) return core::fail(taken.error());
    *time = wall_time(*taken);
  }
  const auto sequence = take_vlong(rest);
  if (!sequence) return core::fail(sequence.error());
  identifier.sequence = static_cast<std::int32_t>(*sequence);
  return identifier;
}

}  // namespace

core::Result<DelegationTokenIdentifier> read_hdfs_delegation_token(const hrpc::Token& token) {
  if (token.kind != hrpc::kHdfsToken) {
    return core::fail(core::Errc::corrupt, fmt::format("expected a token of kind {}, but this one is of kind {}",
                                                       hrpc::kHdfsToken, core::printable(token.kind)));
  }
  auto identifier = decode_identifier(token.identifier);
  if (!identifier) {
    return core::fail(
        std::move(identifier)
            .error()
            .within(fmt::format("the identifier of a token of kind {} cannot be decoded", hrpc::kHdfsToken)));
  }
  return identifier;
}

std::string owner_of(const Credentials& credentials) {
  for (const auto& [alias, token] : credentials.tokens) {
    if (const auto read = read_hdfs_delegation_token(token)) return read->owner;
  }
  for (const auto& [alias, token] : credentials.tokens) {
    if (const auto read = read_rm_delegation_token(token)) return read->owner;
  }
  return {};
}

std::optional<core::WallTime> end_of_tokens(const Credentials& credentials) {
  std::optional<core::WallTime> end;
  for (const auto& [alias, token] : credentials.tokens) {
    const auto read = read_hdfs_delegation_token(token);
    if (read) end = end ? std::min(*end, read->max_date) : read->max_date;
  }
  return end;
}

std::string limit_passes_tokens(core::WallTime now, core::Millis limit, core::WallTime end) {
  if (limit <= core::Millis(0) || now + limit <= end) return {};
  return fmt::format(
      "with its time limit of {} the job may run longer than {}, when its tokens for HDFS expire and cannot be "
      "renewed: after that it cannot read or write on HDFS; let it end earlier, or continue it from a checkpoint in a "
      "new job",
      core::format_duration(limit), core::format_utc(end));
}

core::Millis until_warning(core::WallTime now, core::WallTime end) {
  // the caller checks again after this time; a longer one would overflow a timer
  constexpr core::Millis kLongest = std::chrono::years(1);
  return std::clamp<core::Millis>(std::chrono::duration_cast<core::Millis>(end - kWarnBefore - now), core::Millis(0),
                                  kLongest);
}

std::string tokens_end_soon(core::WallTime end) {
  return fmt::format(
      "the job's tokens for HDFS expire at {} and cannot be renewed: after that it cannot read or write on HDFS, and "
      "its results cannot be saved; save a checkpoint and submit the job again",
      core::format_utc(end));
}

}  // namespace ydl::yarn

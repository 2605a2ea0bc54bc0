#include "client/removal_rules.hpp"

#include "core/clock.hpp"

#include <fmt/format.h>

namespace ydl::client {
namespace {

using core::fail;
using core::Result;

// A job about which nothing tells whether its master still runs must not have changed for this time.
constexpr core::Millis kSurelyOver = std::chrono::hours(24);

}  // namespace

core::Error still_runs(const std::string& id) {
  return {core::Errc::refused, fmt::format("job {0} is running: stop it with `ydl kill {0}` before you delete it", id)};
}

// Only the time of the last change tells about a job whose master never took the lock, or took it on another machine or
// before this one was restarted.
Result<> check_is_settled(const std::string& id, const jobs::FolderContent& content) {
  if (content.changed && *content.changed <= core::wall_now() - kSurelyOver) return {};
  return fail(core::Errc::refused,
              fmt::format("job {} may be starting, or may run on another machine that shares its folder: it can be "
                          "deleted one day after its last change",
                          id));
}

Result<> check_unused(const std::string& id, const jobs::RestoreFolders& own, const std::vector<RestoreUse>& uses) {
  for (const auto& use : uses) {
    const bool reads_saves = !own.saves.empty() && use.reads.saves == own.saves;
    const bool reads_results =
        !own.results.empty() && (use.reads.results == own.results || resolved_path(use.reads.results) == own.results);
    if (use.job == id || (!reads_saves && !reads_results)) continue;
    return fail(core::Errc::refused,
                fmt::format("job {0} is in use: {1}, which is running, continues from its checkpoints (--restore-from)",
                            id, use.job));
  }
  return {};
}

}  // namespace ydl::client

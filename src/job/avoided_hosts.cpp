#include "job/avoided_hosts.hpp"

#include "core/strings.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::job {
namespace {

std::string_view noun_of(Cause cause) {
  switch (cause) {
    case Cause::host_lost:
    case Cause::agent_lost:
      return "container lost";
    case Cause::disk:
      return "container with a full or broken disk";
    default:
      return "container failed";
  }
}

// "2 containers lost".
std::string summarize(std::size_t count, std::string_view noun) {
  constexpr std::string_view kContainer = "container";
  return count == 1 ? fmt::format("1 {}", noun) : fmt::format("{} containers{}", count, noun.substr(kContainer.size()));
}

}  // namespace

bool AvoidedHosts::contains(const std::string& node) const {
  return std::ranges::find(avoided_, node, &AvoidedHost::node) != avoided_.end();
}

bool AvoidedHosts::failed(const std::string& node, Cause cause, std::string what, Instant now) {
  if (rules_.mode == Blacklist::Mode::off || node.empty() || contains(node)) return false;
  if (rules_.mode == Blacklist::Mode::strict) {
    if (cause == Cause::preempted || cause == Cause::stopped) return false;
    avoid(node, std::nullopt, std::move(what));
    return true;
  }
  if (!judge(cause).blames_host) return false;
  auto& faults = faults_[node];
  faults.push_back({now, cause});
  while (now - faults.front().at >= rules_.forget) faults.pop_front();
  if (std::cmp_less(faults.size(), rules_.failures)) return false;
  const bool are_alike =
      std::ranges::all_of(faults, [&](const Fault& fault) { return noun_of(fault.cause) == noun_of(cause); });
  avoid(node, now + rules_.forget, summarize(faults.size(), are_alike ? noun_of(cause) : "container failed"));
  return true;
}

void AvoidedHosts::avoid(const std::string& node, std::optional<Instant> until, std::string reason) {
  faults_.erase(node);
  avoided_.push_back({node, until, std::move(reason)});
}

std::vector<std::string> AvoidedHosts::forget(Instant now) {
  std::vector<std::string> forgotten;
  std::erase_if(avoided_, [&](const AvoidedHost& host) {
    if (!host.until || *host.until > now) return false;
    forgotten.push_back(host.node);
    return true;
  });
  return forgotten;
}

std::string AvoidedHosts::relax() {
  if (rules_.mode == Blacklist::Mode::strict || avoided_.empty()) return {};
  auto node = std::move(avoided_.front().node);
  avoided_.erase(avoided_.begin());
  return node;
}

std::optional<Instant> AvoidedHosts::next_deadline() const {
  std::optional<Instant> next;
  for (const auto& host : avoided_) {
    if (host.until && (!next || *host.until < *next)) next = host.until;
  }
  return next;
}

std::string AvoidedHosts::describe() const {
  std::vector<std::string> parts;
  for (const auto& host : avoided_) parts.push_back(fmt::format("{} ({})", host.node, host.reason));
  return core::join(parts, ", ");
}

}  // namespace ydl::job

// Which hosts the machine asks for and takes containers on.
#include "backend/yarn/yarn_machine.hpp"
#include "core/assert.hpp"

#include <algorithm>

namespace ydl::backend {
namespace {

constexpr int kMostRefused = 10;
// The other hosts may be full, of this job's own tasks too: then the attempt takes any host after this time.
constexpr core::Millis kLeaveOutFor = core::Seconds(20);

}  // namespace

void YarnMachine::avoid(const std::string& host) {
  avoided_.insert(host);
  left_out_.erase(host);
  told_no_host_.clear();
  allocator_.avoid(host);
}

void YarnMachine::forgive(const std::string& host) {
  if (avoided_.erase(host) == 0) return;
  told_no_host_.clear();
  allocator_.forgive(host);
}

// That run and have the role's label and are where it may be; whether they are avoided or not.
std::vector<std::string> YarnMachine::hosts_for(const std::string& role) const {
  const auto found = std::ranges::find(options_.roles, role, &YarnRole::name);
  YDL_ASSERT(found != options_.roles.end());
  const yarn::RoleAsk ask{
      .key = {}, .resource = found->resource, .label = found->label, .hosts = found->hosts, .racks = found->racks};
  std::vector<std::string> hosts;
  for (const auto& node : allocator_.nodes().running()) {
    if (yarn::may_be_on(ask, node)) hosts.push_back(node.host);
  }
  return hosts;
}

// Only where another host can do it.
bool YarnMachine::is_left_out(const std::string& role, const std::set<std::string>& not_on,
                              const std::string& host) const {
  return not_on.contains(host) && std::ranges::any_of(hosts_for(role), [&](const std::string& other) {
           return !not_on.contains(other) && !avoided_.contains(other);
         });
}

// No attempt gets this container: nobody waits, or not for one on its host. Then another one is asked for.
void YarnMachine::refuse(const std::string& role, const yarn::Container& container, core::Instant now) {
  allocator_.release(container.id);
  auto& waiting = table_.waiting(role);
  if (waiting.empty()) return;
  allocator_.want(key_of(role), 1, now);
  if (avoided_.contains(container.node.host)) return;
  for (auto& attempt : waiting) {
    if (++attempt.refused >= kMostRefused) attempt.not_on.clear();
  }
}

// The ResourceManager grants none on a host that an attempt which waits must not get, as long as it does.
void YarnMachine::leave_out_hosts(core::Instant now) {
  std::set<std::string> hosts;
  for (const auto& role : options_.roles) {
    for (auto& attempt : table_.waiting(role.name)) {
      if (now - attempt.since >= kLeaveOutFor) attempt.not_on.clear();
      for (const auto& host : attempt.not_on) {
        if (avoided_.contains(host) || hosts.contains(host)) continue;
        auto with_it = hosts;
        with_it.insert(host);
        if (every_role_has_a_host_without(with_it)) hosts = std::move(with_it);
      }
    }
  }
  for (const auto& host : left_out_) {
    if (!hosts.contains(host)) allocator_.forgive(host);
  }
  for (const auto& host : hosts) {
    if (!left_out_.contains(host)) allocator_.avoid(host);
  }
  left_out_ = std::move(hosts);
}

bool YarnMachine::every_role_has_a_host_without(const std::set<std::string>& hosts) const {
  return std::ranges::all_of(options_.roles, [&](const YarnRole& role) {
    return std::ranges::any_of(hosts_for(role.name), [&](const std::string& host) {
      return !hosts.contains(host) && !avoided_.contains(host);
    });
  });
}

// Once, until something changes that may help.
void YarnMachine::tell_where_no_host_is_left() {
  for (const auto& role : options_.roles) {
    if (table_.waiting(role.name).empty() || told_no_host_.contains(role.name)) continue;
    const auto hosts = hosts_for(role.name);
    const bool is_any_left =
        hosts.empty() || std::ranges::any_of(hosts, [&](const std::string& host) { return !avoided_.contains(host); });
    if (is_any_left) continue;
    told_no_host_.insert(role.name);
    tell_job(job::NoHostLeft{role.name});
  }
}

}  // namespace ydl::backend

// The hosts on which the machine requests and accepts containers.
#include "backend/yarn/yarn_machine.hpp"

#include <algorithm>

namespace ydl::backend {
namespace {

// After this many refused containers an attempt takes any host, so that it cannot refuse the same hosts for ever.
constexpr int kMostRefused = 10;
// The other hosts may be full, possibly with tasks of this job. After this time the attempt takes any host.
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

// The running hosts with the role's label and within its constraints, including avoided ones.
std::vector<yarn::NodeRoom> YarnMachine::hosts_for(const YarnRole& role) const {
  const yarn::RoleAsk ask{
      .key = {}, .resource = role.resource, .label = role.label, .hosts = role.hosts, .racks = role.racks};
  auto hosts = allocator_.nodes().running();
  std::erase_if(hosts, [&](const yarn::NodeRoom& node) { return !yarn::may_be_on(ask, node); });
  return hosts;
}

// Only if another host can run it.
bool YarnMachine::is_left_out(const std::string& role, const std::set<std::string>& not_on,
                              const std::string& host) const {
  return not_on.contains(host) && std::ranges::any_of(hosts_for(role_named(role)), [&](const yarn::NodeRoom& other) {
           return !not_on.contains(other.host) && !avoided_.contains(other.host);
         });
}

// No attempt takes this container: none waits, or those that wait must not run on its host. In that case another
// container is requested.
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

// Tells the ResourceManager to allocate no container on hosts that no waiting attempt may use. Its list is for the
// whole application, so it contains no host that some attempts may use; refuse() handles those.
void YarnMachine::leave_out_hosts(core::Instant now) {
  auto hosts = hosts_that_no_attempt_is_to_get(now);
  if (!hosts.empty()) hosts = without_the_last_of_a_role(hosts);
  for (const auto& host : left_out_) {
    if (!hosts.contains(host)) allocator_.forgive(host);
  }
  for (const auto& host : hosts) {
    if (!left_out_.contains(host)) allocator_.avoid(host);
  }
  left_out_ = std::move(hosts);
}

// The hosts that all waiting attempts exclude, without those that the job avoids. An attempt that has waited long
// excludes none.
std::set<std::string> YarnMachine::hosts_that_no_attempt_is_to_get(core::Instant now) {
  std::optional<std::set<std::string>> hosts;  // nothing: no attempt waits
  for (const auto& role : options_.roles) {
    for (auto& attempt : table_.waiting(role.name)) {
      if (now - attempt.since >= kLeaveOutFor) attempt.not_on.clear();
      if (!hosts) hosts = attempt.not_on;
      std::erase_if(*hosts, [&](const std::string& host) { return !attempt.not_on.contains(host); });
    }
  }
  if (!hosts) return {};
  std::erase_if(*hosts, [&](const std::string& host) { return avoided_.contains(host); });
  return *std::move(hosts);
}

// As many of these hosts as possible, so that every role has at least one left.
std::set<std::string> YarnMachine::without_the_last_of_a_role(const std::set<std::string>& hosts) const {
  std::vector<std::set<std::string>> left_for_roles;
  for (const auto& role : options_.roles) {
    auto& left = left_for_roles.emplace_back();
    for (const auto& node : hosts_for(role)) {
      if (!avoided_.contains(node.host)) left.insert(node.host);
    }
  }
  std::set<std::string> chosen;
  for (const auto& host : hosts) {
    const bool is_spare = std::ranges::all_of(left_for_roles, [&](const std::set<std::string>& left) {
      return left.size() > (left.contains(host) ? 1U : 0U);
    });
    if (!is_spare) continue;
    chosen.insert(host);
    for (auto& left : left_for_roles) left.erase(host);
  }
  return chosen;
}

// Reported once, until a change may help.
void YarnMachine::tell_where_no_host_is_left() {
  if (avoided_.empty()) return;
  for (const auto& role : options_.roles) {
    if (table_.waiting(role.name).empty() || told_no_host_.contains(role.name) || !are_too_few_left(role)) continue;
    told_no_host_.insert(role.name);
    tell_job(job::NoHostLeft{role.name});
  }
}

// Returns true if the role's tasks do not fit on the hosts that are not avoided, even if these are empty, and more
// would fit on an avoided host. Tasks that run on an avoided host stay there and are not counted.
bool YarnMachine::are_too_few_left(const YarnRole& role) {
  auto needed = static_cast<std::int64_t>(table_.waiting(role.name).size());
  for (const auto& [id, assigned] : table_.assigned()) {
    const bool is_of_role = assigned.request.attempt.task.role == role.name && assigned.phase != Phase::ended;
    if (is_of_role && !avoided_.contains(assigned.container.node.host)) ++needed;
  }
  std::int64_t fit = 0;
  bool would_another_help = false;
  for (const auto& node : hosts_for(role)) {
    const bool is_known = node.capability != yarn::Resource{};
    const auto here = is_known ? times_it_fits(role.resource, node.capability, needed) : needed;
    if (!avoided_.contains(node.host))
      fit += here;
    else if (here > 0)
      would_another_help = true;
  }
  return fit < needed && would_another_help;
}

}  // namespace ydl::backend

#include "pslite/newcomers.hpp"

#include "core/strings.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace ydl::pslite {

void Newcomers::forget(LinkId link) {
  std::erase_if(waiting_, [&](const Newcomer& newcomer) { return newcomer.link == link; });
}

std::optional<Newcomer> Newcomers::take_first(const std::function<bool(const Newcomer&)>& can_join) {
  const auto found = std::ranges::find_if(waiting_, can_join);
  if (found == waiting_.end()) return std::nullopt;
  Newcomer newcomer = std::move(*found);
  waiting_.erase(found);
  return newcomer;
}

std::vector<Newcomer> Newcomers::take_expired(Instant now) {
  std::vector<Newcomer> expired;
  const auto is_expired = [&](const Newcomer& newcomer) { return now >= newcomer.deadline; };
  std::ranges::copy_if(waiting_, std::back_inserter(expired), is_expired);
  std::erase_if(waiting_, is_expired);
  return expired;
}

std::vector<Newcomer> Newcomers::take_all() {
  return std::exchange(waiting_, {});
}

std::optional<Instant> Newcomers::next_deadline() const {
  const auto first = std::ranges::min_element(waiting_, {}, &Newcomer::deadline);
  return first == waiting_.end() ? std::nullopt : std::optional(first->deadline);
}

std::optional<std::string> objection_to(const Control& registration) {
  if (registration.nodes.size() != 1)
    return fmt::format("a registration contains {} instead of one",
                       core::plural(static_cast<std::int64_t>(registration.nodes.size()), "node"));
  const Node& node = registration.nodes.front();
  if (node.role == Role::scheduler)
    return "a second scheduler tried to register; remove the process with DMLC_ROLE=scheduler from the job, because "
           "ydl itself is the scheduler";
  if (node.host.empty() || node.port < 1 || node.port > 65'535) {
    return fmt::format("a {} registered with the invalid address '{}:{}'", name(node.role), core::printable(node.host),
                       node.port);
  }
  if (node.customer_id < 0 || node.customer_id > kMaxCustomer) {
    return fmt::format("a {} registered kvstore number {}, but a process can have at most {}", name(node.role),
                       node.customer_id, kMaxCustomer + 1);
  }
  return std::nullopt;
}

}  // namespace ydl::pslite

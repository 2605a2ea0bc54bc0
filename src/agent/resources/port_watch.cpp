#include "agent/resources/port_watch.hpp"

#include <utility>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

// A framework that does not listen by then uses another port, or none.
constexpr core::Millis kPeriod = core::Seconds(2);
constexpr core::Millis kTime = core::Seconds(120);

PortOwner owner_of(std::uint16_t port, const Listeners& listeners, LookRound& round, pid_t reaper) {
  // Read after the listeners, so that every process that listens is in it.
  std::vector<pid_t> ours{reaper};
  for (const auto& process : descendants_of(reaper, round.processes())) ours.push_back(process.pid);
  return listeners.owner_of(port, ours);
}

}  // namespace

const Listeners* LookRound::listeners() {
  if (!listeners_) listeners_ = Listeners::read();
  return *listeners_ ? &**listeners_ : nullptr;
}

const std::vector<ProcessLink>& LookRound::processes() {
  if (!processes_) processes_ = list_processes();
  return *processes_;
}

void PortWatch::begin(std::vector<std::uint16_t> ports, core::Instant now) {
  unchecked_ = std::move(ports);
  next_ = now + kPeriod;
  last_ = now + kTime;
}

std::optional<std::string> PortWatch::check(LookRound& round, pid_t reaper, core::Instant now) {
  if (unchecked_.empty() || now < next_) return std::nullopt;
  next_ = now + kPeriod;
  const auto* listeners = round.listeners();
  for (const auto port : std::exchange(unchecked_, {})) {
    PortOwner owner;
    if (listeners != nullptr && listeners->anyone_on(port)) owner = owner_of(port, *listeners, round, reaper);
    if (owner.kind == PortOwner::Kind::none && now < last_) unchecked_.push_back(port);
    if (owner.kind == PortOwner::Kind::foreign) {
      unchecked_.clear();
      return fmt::format("port {}, held for it, was taken by {}", port,
                         owner.name.empty() ? "another program" : fmt::format("{} (pid {})", owner.name, owner.pid));
    }
  }
  return std::nullopt;
}

}  // namespace ydl::agent

#include "protocol/commands.hpp"

#include "core/described_variant.hpp"

#include <fmt/format.h>

namespace ydl::protocol {
namespace {

using core::Errc;
using core::fail;
using core::Result;

constexpr core::AlternativeNames<Command> kNames{
    "prepare",          "launch",          "stop",     "warn",    "call_off",
    "scheduler_expect", "scheduler_ended", "read_log", "release", "shutdown"};

Result<void> check_range(std::string_view key, int value, int limit) {
  if (value >= 0 && value <= limit) return {};
  return fail(Errc::corrupt, fmt::format("'{}' is out of range: {}", key, value));
}

struct Check {
  Result<void> operator()(const Prepare& command) const {
    if (auto range = check_range("ports", command.ports, 1000); !range) return range;
    if (auto range = check_range("gpus", command.gpus, 1000); !range) return range;
    if (auto range = check_range("vcores_limit", command.vcores_limit, 100'000); !range) return range;
    if (command.packed && command.packed->folders.size() > 16)
      return fail(Errc::corrupt, "'packed' has too many entries");
    if (command.port_range && (command.port_range->first == 0 || command.port_range->second == 0))
      return fail(Errc::corrupt, "'port_range' contains 0");
    if (command.image && command.image->runtime != "podman" && command.image->runtime != "docker")
      return fail(Errc::corrupt, fmt::format("'{}' cannot run images", command.image->runtime));
    if (const auto& scheduler = command.scheduler) {
      if (auto range = check_range("workers", scheduler->workers, 100'000); !range) return range;
      if (auto range = check_range("servers", scheduler->servers, 100'000); !range) return range;
      if (scheduler->registration_timeout < core::Millis(0))
        return fail(Errc::corrupt,
                    fmt::format("'registration_timeout' is out of range: {}", scheduler->registration_timeout.count()));
    }
    return {};
  }
  Result<void> operator()(const Launch& command) const {
    if (command.argv.empty()) return fail(Errc::corrupt, "'argv' is empty");
    return {};
  }
  Result<void> operator()(const Stop& command) const {
    if (command.grace < core::Millis(0))
      return fail(Errc::corrupt, fmt::format("'grace' is out of range: {}", command.grace.count()));
    return {};
  }
  Result<void> operator()(const Warn& command) const {
    if (command.within < core::Millis(0))
      return fail(Errc::corrupt, fmt::format("'within' is out of range: {}", command.within.count()));
    return {};
  }
  Result<void> operator()(const SchedulerExpect& command) const {
    return command.workers ? check_range("workers", *command.workers, 100'000) : Result<void>();
  }
  Result<void> operator()(const auto& /*command*/) const { return {}; }
};

}  // namespace

boost::json::object to_json(const Command& command) {
  return core::write_alternative("type", kNames, command);
}

Result<Command> command_from_json(const boost::json::object& object) {
  auto command = core::read_alternative<Command>("type", kNames, object);
  if (!command) return command;
  if (const auto checked = std::visit(Check{}, *command); !checked) return fail(checked.error());
  return command;
}

}  // namespace ydl::protocol

#pragma once

#include "yarn/allocator_fsm.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ydl::yarn::test {

inline constexpr AskKey kWorker{{1}, 1};
inline constexpr AskKey kServer{{2}, 2};

inline NodeReport node_report(std::string host, std::int64_t gibibytes = 8, std::string rack = "/r1") {
  return {.id = {std::move(host), 45454},
          .rack = std::move(rack),
          .capability = {.memory_mib = gibibytes * 1024, .vcores = 64}};
}

// Plays a master and its ResourceManager: beat() sends a heartbeat, and the next answer() is its answer.
class Script : public ::testing::Test {
 protected:
  Script() : fsm_({}, std::vector{node_report("a"), node_report("b")}) {
    fsm_.add_role({.key = kWorker, .resource = kSize});
    fsm_.add_role({.key = kServer, .resource = kSize});
  }

  void connect() { (void)fsm_.registered({}, now_); }

  // The request that would be sent now, as "key location count".
  std::vector<std::string> beat() {
    sent_ = fsm_.next_request(now_);
    std::vector<std::string> asks;
    for (const auto& ask : sent_.asks) {
      const std::string role = ask.key == kWorker ? "worker" : "server";
      asks.push_back(role + " " + ask.location + " " + std::to_string(ask.count));
    }
    return asks;
  }

  AllocationUpdate answer(AllocateResponse response = {}) {
    response.response_id = sent_.response_id + 1;
    return fsm_.on_response(response, now_);
  }

  // A heartbeat whose request is not checked.
  AllocationUpdate exchange(AllocateResponse response = {}) {
    (void)beat();
    return answer(std::move(response));
  }

  static Container container(int number, std::string host, AskKey key = kWorker) {
    return {.id = {{{1700000000000, 1}, 1}, number}, .node = {std::move(host), 45454}, .resource = kSize, .key = key};
  }
  static ContainerStatus end_of(const Container& container, int exit_status = 0) {
    return {.id = container.id, .state = ContainerState::complete, .exit_status = exit_status};
  }
  static core::Error thrown(const std::string& simple_name, std::error_code code = make_error_code(core::Errc::io)) {
    return {code, "refused", core::RemoteException{"org.apache.hadoop.yarn.exceptions." + simple_name, ""}};
  }

  static inline const Resource kSize{.memory_mib = 1024, .vcores = 1};
  core::Instant now_{core::Millis(1'000'000)};
  AllocatorFsm fsm_;
  AllocateRequest sent_;
};

}  // namespace ydl::yarn::test

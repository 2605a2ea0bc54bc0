#include "hrpc/retry_policy.hpp"

#include "hrpc/call_table.hpp"
#include "hrpc/errors.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ydl::hrpc {
namespace {

using Action = Decision::Action;
using core::Millis;

constexpr RetryOptions kOptions{.max_failovers = 4,
                                .max_retries = 3,
                                .backoff_base = Millis(500),
                                .backoff_max = Millis(1500),
                                .same_server_pause = Millis(1000)};
constexpr double kMiddle = 0.5;  // makes the random factor 1

Decision after(Errc code, Progress progress, Attempts attempts, double chance = kMiddle) {
  return decide({code, "x"}, progress, attempts, kOptions, chance);
}

TEST(RetryPolicy, after_standby_the_next_server_is_tried_at_once_then_with_growing_pauses) {
  Attempts attempts{.repeat = Repeat::never, .servers = 2};
  for (const auto expected : {0, 500, 1000, 1500}) {
    const auto decision = after(Errc::standby, Progress::sent, attempts);
    EXPECT_EQ(decision.action, Action::next_server);
    EXPECT_EQ(decision.delay, Millis(expected));
    ++attempts.failovers;
  }
  EXPECT_EQ(after(Errc::standby, Progress::sent, attempts).action, Action::give_up);
}

TEST(RetryPolicy, pauses_vary_between_half_and_one_and_a_half) {
  const Attempts attempts{.servers = 2, .failovers = 1};
  EXPECT_EQ(after(Errc::standby, Progress::sent, attempts, 0.0).delay, Millis(250));
  EXPECT_EQ(after(Errc::standby, Progress::sent, attempts, 0.999).delay, Millis(750));
}

TEST(RetryPolicy, standby_of_the_only_server_ends_the_call) {
  EXPECT_EQ(after(Errc::standby, Progress::sent, {.servers = 1}).action, Action::give_up);
}

TEST(RetryPolicy, retriable_repeats_the_call_on_the_same_server) {
  Attempts attempts{.repeat = Repeat::never, .servers = 2};
  for (const auto expected : {500, 1000, 1500}) {
    const auto decision = after(Errc::retriable, Progress::sent, attempts);
    EXPECT_EQ(decision.action, Action::same_server);
    EXPECT_EQ(decision.delay, Millis(expected));
    ++attempts.retries;
  }
  EXPECT_EQ(after(Errc::retriable, Progress::sent, attempts).action, Action::give_up);
}

TEST(RetryPolicy, no_retry_starts_after_the_configured_time) {
  RetryOptions options = kOptions;
  options.patience = Millis(15'000);
  const auto after_a_timeout = [&](Millis spent) {
    return decide({Errc::timed_out, "x"}, Progress::not_sent, {.spent = spent}, options, kMiddle).action;
  };
  EXPECT_EQ(after_a_timeout(Millis(14'000)), Action::same_server);
  EXPECT_EQ(after_a_timeout(Millis(14'001)), Action::give_up) << "the pause would end too late";
  const Attempts long_ago{.spent = std::chrono::hours(24)};
  EXPECT_EQ(after(Errc::unreachable, Progress::not_sent, long_ago).action, Action::same_server) << "without a limit";
}

TEST(RetryPolicy, a_call_that_was_not_sent_is_always_repeated) {
  for (const auto code : {Errc::unreachable, Errc::timed_out, Errc::connection_lost}) {
    const auto pair = after(code, Progress::not_sent, {.repeat = Repeat::never, .servers = 2});
    EXPECT_EQ(pair.action, Action::next_server);
    const auto single = after(code, Progress::not_sent, {.repeat = Repeat::never, .servers = 1});
    EXPECT_EQ(single.action, Action::same_server);
    EXPECT_EQ(single.delay, Millis(1000));
  }
  EXPECT_EQ(after(Errc::unreachable, Progress::not_sent, {.servers = 1, .retries = 3}).action, Action::give_up);
}

TEST(RetryPolicy, a_call_that_was_sent_is_repeated_only_if_that_is_safe) {
  for (const auto repeat : {Repeat::idempotent, Repeat::at_most_once}) {
    EXPECT_EQ(after(Errc::connection_lost, Progress::sent, {.repeat = repeat, .servers = 2}).action,
              Action::next_server);
    EXPECT_EQ(after(Errc::timed_out, Progress::sent, {.repeat = repeat, .servers = 2}).action, Action::next_server);
    EXPECT_EQ(after(Errc::connection_lost, Progress::sent, {.repeat = repeat, .servers = 1}).action,
              Action::same_server);
    EXPECT_EQ(after(Errc::timed_out, Progress::sent, {.repeat = repeat, .servers = 1}).action, Action::give_up);
  }
  const auto never = after(Errc::connection_lost, Progress::sent, {.repeat = Repeat::never, .servers = 2});
  EXPECT_EQ(never.action, Action::give_up);
  EXPECT_EQ(never.why, "it is unknown whether the server executed the call");
}

TEST(RetryPolicy, answers_are_final) {
  for (const auto code : {Errc::not_found, Errc::access_denied, Errc::invalid_token, Errc::unauthenticated,
                          Errc::security_refused, Errc::not_hadoop, Errc::corrupt, Errc::remote, Errc::safe_mode}) {
    EXPECT_EQ(after(code, Progress::sent, {.repeat = Repeat::idempotent, .servers = 2}).action, Action::give_up);
  }
  EXPECT_EQ(decide({core::Errc::cancelled, "x"}, Progress::not_sent, {.servers = 2}, kOptions, kMiddle).action,
            Action::give_up);
}

TEST(CallTable, each_waiter_is_called_once) {
  CallTable table;
  std::vector<std::string> told;
  for (int i = 0; i < 4; ++i) {
    table.add(CallId{i}, [&told, i](const core::Result<std::string>& result) {
      told.push_back(std::to_string(i) + (result ? " " + *result : " failed: " + result.error().message));
    });
  }
  table.finish(CallId{2}, "two");
  table.forget(CallId{1});
  table.finish(CallId{1}, "late");
  table.finish(CallId{99}, "nobody");
  EXPECT_EQ(told, std::vector<std::string>{"2 two"});
  told.clear();
  table.fail_all({Errc::connection_lost, "gone"});
  std::ranges::sort(told);
  EXPECT_EQ(told, (std::vector<std::string>{"0 failed: gone", "3 failed: gone"}));
  EXPECT_TRUE(table.empty());
}

TEST(CallTable, a_waiter_may_add_calls) {
  CallTable table;
  int again = 0;
  for (int i = 0; i < 3; ++i) {
    table.add(CallId{i}, [&, i](const core::Result<std::string>&) {
      table.add(CallId{i + 10}, [&](const core::Result<std::string>&) { ++again; });
    });
  }
  table.fail_all({Errc::connection_lost, "gone"});
  EXPECT_EQ(table.size(), 3U);
  EXPECT_EQ(again, 0);
}

}  // namespace
}  // namespace ydl::hrpc

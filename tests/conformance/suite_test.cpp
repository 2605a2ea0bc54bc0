// What holds for every backend, whatever stands behind it. A new backend is a Stage and a line at the end.
#include "conformance/stage.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <type_traits>

namespace ydl::backend::test {

std::string role_of(Does what) {
  switch (what) {
    case Does::ends_well:
      return "ends-well";
    case Does::exits_3:
      return "exits-3";
    case Does::aborts:
      return "aborts";
    case Does::runs_on:
      return "runs-on";
    case Does::ignores_stop:
      return "ignores-stop";
    case Does::is_missing:
      return "is-missing";
    case Does::loses_results:
      return "loses-results";
  }
  return "";
}

namespace {

using core::AttemptId;

constexpr core::Millis kLongGrace = core::Seconds(600);  // no test waits until it ends

struct Kind {
  std::string name;
  MakeStage make;
};

void PrintTo(const Kind& kind, std::ostream* out) {
  *out << kind.name;
}

AttemptId attempt_of(Does what, int index = 0, int attempt = 1) {
  return {{role_of(what), index}, attempt};
}

class Conformance : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    stage_ = GetParam().make(
        loop_, {[this](job::Event event) { events_.push_back(std::move(event)); },
                [this](const protocol::TaskOutput& output) { outputs_.push_back(output); }, [](const std::string&) {}});
    const auto opened = loop_.run(backend().open());
    ASSERT_TRUE(opened) << opened.error().message;
  }
  void TearDown() override {
    loop_.run(backend().close({}));
    EXPECT_TRUE(loop_.until([&] { return stage_->running() == 0; })) << "tasks outlive their backend";
    EXPECT_EQ(stage_->complaints(), "");
    stage_.reset();
    loop_.settle();
  }

  Backend& backend() { return stage_->backend(); }
  static TaskRequest request(const AttemptId& attempt, int ports) { return {.attempt = attempt, .ports = ports}; }

  // The event of this kind for the attempt, if it was told.
  template <class Event>
  const Event* told(const AttemptId& attempt) const {
    for (const auto& event : events_) {
      const auto* wanted = std::get_if<Event>(&event);
      if (wanted != nullptr && wanted->attempt == attempt) return wanted;
    }
    return nullptr;
  }
  template <class Event>
  Event expect(const AttemptId& attempt) {
    if (!loop_.until([&] { return told<Event>(attempt) != nullptr; })) {
      ADD_FAILURE() << attempt.str() << " heard nothing in time; " << events_.size() << " other events came";
      return {};
    }
    return *told<Event>(attempt);
  }

  job::Place place(const AttemptId& attempt, int ports = 1) {
    backend().place(request(attempt, ports));
    return expect<job::Placed>(attempt).place;
  }
  void launch(const AttemptId& attempt, Does what) { backend().launch({attempt, stage_->command(what), {}}); }
  void start(const AttemptId& attempt, Does what) {
    place(attempt);
    launch(attempt, what);
    expect<job::Started>(attempt);
  }
  // Until it does what the test is about, and not only runs.
  void start_and_hear(const AttemptId& attempt, Does what) {
    start(attempt, what);
    EXPECT_TRUE(loop_.until([&] {
      return std::ranges::any_of(outputs_, [&](const protocol::TaskOutput& output) {
        return output.attempt == attempt && output.last_line == kReady;
      });
    })) << attempt.str()
        << " reported nothing";
  }
  // What was told about the attempt, less what a backend may tell on the way to a host.
  std::size_t events_of(const AttemptId& attempt) const {
    return static_cast<std::size_t>(std::ranges::count_if(events_, [&](const job::Event& event) {
      return std::visit(
          [&](const auto& e) {
            using Event = std::remove_cvref_t<decltype(e)>;
            if constexpr (std::is_same_v<Event, job::Granted> || std::is_same_v<Event, job::Reached> ||
                          std::is_same_v<Event, job::NotPlacedYet>) {
              return false;
            } else if constexpr (requires { e.attempt; }) {
              return e.attempt == attempt;
            } else {
              return false;
            }
          },
          event);
    }));
  }

  ydl::test::Loop loop_;
  std::vector<job::Event> events_;
  std::vector<protocol::TaskOutput> outputs_;
  std::unique_ptr<Stage> stage_;
};

TEST_P(Conformance, a_placed_task_has_a_host_and_as_many_ports_as_requested) {
  for (const int ports : {0, 1, 3}) {
    const auto found = place(attempt_of(Does::ends_well, ports), ports);
    EXPECT_FALSE(found.host.empty());
    EXPECT_FALSE(found.node.empty());
    EXPECT_EQ(found.ports.size(), static_cast<std::size_t>(ports));
    EXPECT_EQ(std::set(found.ports.begin(), found.ports.end()).size(), found.ports.size());
    EXPECT_EQ(std::ranges::count(found.ports, 0), 0);
  }
}

TEST_P(Conformance, a_task_that_succeeds_starts_then_exits_with_0) {
  const auto attempt = attempt_of(Does::ends_well);
  start(attempt, Does::ends_well);
  EXPECT_TRUE(expect<job::Exited>(attempt).status.ok());
  EXPECT_EQ(events_of(attempt), 3U) << "placed, started, exited and nothing else";
}

TEST_P(Conformance, an_exit_code_comes_back) {
  const auto attempt = attempt_of(Does::exits_3);
  start(attempt, Does::exits_3);
  const auto status = expect<job::Exited>(attempt).status;
  EXPECT_EQ(status.code, 3);
  EXPECT_EQ(status.signal, 0);
}

TEST_P(Conformance, a_signal_comes_back) {
  const auto attempt = attempt_of(Does::aborts);
  start(attempt, Does::aborts);
  const auto status = expect<job::Exited>(attempt).status;
  EXPECT_EQ(status.signal, 6);
  EXPECT_FALSE(status.ok());
}

TEST_P(Conformance, a_task_whose_results_are_lost_has_failed) {
  const auto attempt = attempt_of(Does::loses_results);
  start(attempt, Does::loses_results);
  EXPECT_FALSE(expect<job::Exited>(attempt).status.ok());
}

TEST_P(Conformance, what_a_task_says_is_passed_on) {
  start_and_hear(attempt_of(Does::runs_on), Does::runs_on);
}

TEST_P(Conformance, a_task_asked_to_stop_ends_within_its_grace) {
  const auto attempt = attempt_of(Does::runs_on);
  start_and_hear(attempt, Does::runs_on);
  EXPECT_EQ(stage_->running(), 1U);
  backend().stop({attempt, kLongGrace});
  EXPECT_EQ(expect<job::Exited>(attempt).status.signal, 15);
  EXPECT_TRUE(loop_.until([&] { return stage_->running() == 0; }));
}

TEST_P(Conformance, a_task_that_ignores_the_request_is_killed_after_its_grace) {
  const auto attempt = attempt_of(Does::ignores_stop);
  start_and_hear(attempt, Does::ignores_stop);
  backend().stop({attempt, core::Millis(100)});
  EXPECT_EQ(expect<job::Exited>(attempt).status.signal, 9);
  EXPECT_TRUE(loop_.until([&] { return stage_->running() == 0; }));
}

TEST_P(Conformance, a_second_request_with_less_grace_shortens_the_first) {
  const auto attempt = attempt_of(Does::ignores_stop);
  start_and_hear(attempt, Does::ignores_stop);
  backend().stop({attempt, kLongGrace});
  loop_.settle();
  backend().stop({attempt, core::Millis(0)});
  EXPECT_EQ(expect<job::Exited>(attempt).status.signal, 9);
}

TEST_P(Conformance, a_command_that_does_not_exist_fails_to_start_for_good) {
  const auto attempt = attempt_of(Does::is_missing);
  place(attempt);
  launch(attempt, Does::is_missing);
  const auto failed = expect<job::StartFailed>(attempt);
  EXPECT_EQ(failed.cause, job::Cause::cannot_start);
  EXPECT_FALSE(failed.reason.empty());
  EXPECT_EQ(told<job::Started>(attempt), nullptr);
  EXPECT_EQ(told<job::Exited>(attempt), nullptr);
}

TEST_P(Conformance, a_placed_task_that_is_released_is_heard_of_no_more) {
  const auto first = attempt_of(Does::ends_well);
  const auto other = attempt_of(Does::ends_well, 1);
  place(first);
  backend().release(first);
  start(other, Does::ends_well);
  expect<job::Exited>(other);
  EXPECT_EQ(events_of(first), 1U);
}

TEST_P(Conformance, a_task_released_before_it_is_placed_is_never_launched) {
  const auto first = attempt_of(Does::ends_well);
  const auto other = attempt_of(Does::ends_well, 1);
  backend().place(request(first, 1));
  backend().release(first);
  launch(first, Does::ends_well);
  start(other, Does::ends_well);
  expect<job::Exited>(other);
  EXPECT_EQ(told<job::Started>(first), nullptr);
  EXPECT_EQ(told<job::Exited>(first), nullptr);
}

TEST_P(Conformance, a_running_task_that_is_released_ends) {
  const auto attempt = attempt_of(Does::ignores_stop);
  start_and_hear(attempt, Does::ignores_stop);
  backend().release(attempt);
  EXPECT_TRUE(
      loop_.until([&] { return told<job::Exited>(attempt) != nullptr || told<job::Lost>(attempt) != nullptr; }));
  EXPECT_TRUE(loop_.until([&] { return stage_->running() == 0; }));
}

TEST_P(Conformance, releasing_or_stopping_what_has_ended_does_nothing) {
  const auto attempt = attempt_of(Does::ends_well);
  start(attempt, Does::ends_well);
  expect<job::Exited>(attempt);
  backend().stop({attempt, core::Millis(0)});
  backend().release(attempt);
  backend().release(attempt);
  backend().stop({attempt_of(Does::runs_on, 7), core::Millis(0)});
  backend().release(attempt_of(Does::runs_on, 8));
  const auto other = attempt_of(Does::ends_well, 1);
  start(other, Does::ends_well);
  expect<job::Exited>(other);
  EXPECT_EQ(events_of(attempt), 3U);
  EXPECT_EQ(events_of(other), 3U);
  EXPECT_EQ(events_of(attempt_of(Does::runs_on, 7)) + events_of(attempt_of(Does::runs_on, 8)), 0U);
}

TEST_P(Conformance, a_task_has_one_attempt_after_another) {
  for (int n = 1; n <= 3; ++n) {
    const auto attempt = attempt_of(Does::exits_3, 0, n);
    start(attempt, Does::exits_3);
    EXPECT_EQ(expect<job::Exited>(attempt).status.code, 3);
    backend().release(attempt);
  }
}

TEST_P(Conformance, an_attempt_that_ended_does_not_touch_the_next) {
  const auto first = attempt_of(Does::runs_on, 0, 1);
  const auto second = attempt_of(Does::runs_on, 0, 2);
  start_and_hear(first, Does::runs_on);
  backend().stop({first, core::Millis(0)});
  expect<job::Exited>(first);
  start_and_hear(second, Does::runs_on);
  backend().stop({first, core::Millis(0)});
  backend().release(first);
  loop_.settle();
  const auto other = attempt_of(Does::ends_well);
  start(other, Does::ends_well);
  expect<job::Exited>(other);
  EXPECT_EQ(told<job::Exited>(second), nullptr);
  EXPECT_EQ(stage_->running(), 1U);
}

TEST_P(Conformance, an_attempt_takes_over_the_container_of_the_one_before_it) {
  for (int n = 1; n <= 3; ++n) {
    const auto attempt = attempt_of(Does::exits_3, 0, n);
    auto wanted = request(attempt, 1);
    if (n > 1) wanted.takes_over = attempt_of(Does::exits_3, 0, n - 1);
    backend().place(std::move(wanted));
    expect<job::Placed>(attempt);
    launch(attempt, Does::exits_3);
    EXPECT_EQ(expect<job::Exited>(attempt).status.code, 3);
    EXPECT_EQ(events_of(attempt), 3U) << "placed, started, exited and nothing else";
  }
  if (const auto used = stage_->containers_used()) EXPECT_EQ(*used, 1U);
}

TEST_P(Conformance, an_attempt_takes_over_the_container_of_one_that_still_runs) {
  const auto first = attempt_of(Does::ignores_stop, 0, 1);
  const auto second = attempt_of(Does::ignores_stop, 0, 2);
  start_and_hear(first, Does::ignores_stop);
  auto wanted = request(second, 1);
  wanted.takes_over = first;
  backend().place(std::move(wanted));
  expect<job::Placed>(second);
  EXPECT_TRUE(loop_.until([&] { return stage_->running() == 0; })) << "the first one goes on";
  launch(second, Does::ignores_stop);
  expect<job::Started>(second);
  EXPECT_TRUE(loop_.until([&] { return stage_->running() == 1; }));
}

TEST_P(Conformance, an_attempt_takes_over_with_the_same_ports) {
  const auto first = attempt_of(Does::exits_3, 0, 1);
  const auto second = attempt_of(Does::exits_3, 0, 2);
  const auto ports = place(first, 3).ports;
  launch(first, Does::exits_3);
  expect<job::Exited>(first);
  auto wanted = request(second, 3);
  wanted.takes_over = first;
  wanted.same_ports = ports;
  backend().place(std::move(wanted));
  EXPECT_EQ(expect<job::Placed>(second).place.ports, ports);
  launch(second, Does::exits_3);
  EXPECT_EQ(expect<job::Exited>(second).status.code, 3);
}

TEST_P(Conformance, an_attempt_whose_predecessor_was_released_is_placed_anew) {
  const auto first = attempt_of(Does::exits_3, 0, 1);
  const auto second = attempt_of(Does::exits_3, 0, 2);
  start(first, Does::exits_3);
  expect<job::Exited>(first);
  backend().release(first);
  auto wanted = request(second, 1);
  wanted.takes_over = first;
  backend().place(std::move(wanted));
  expect<job::Placed>(second);
}

TEST_P(Conformance, many_tasks_run_at_once_on_ports_of_their_own) {
  std::set<std::uint16_t> ports;
  for (int i = 0; i < kMostTasks; ++i) backend().place(request(attempt_of(Does::runs_on, i), 1));
  for (int i = 0; i < kMostTasks; ++i)
    ports.insert(expect<job::Placed>(attempt_of(Does::runs_on, i)).place.ports.at(0));
  EXPECT_EQ(ports.size(), static_cast<std::size_t>(kMostTasks));
  for (int i = 0; i < kMostTasks; ++i) launch(attempt_of(Does::runs_on, i), Does::runs_on);
  for (int i = 0; i < kMostTasks; ++i) expect<job::Started>(attempt_of(Does::runs_on, i));
  EXPECT_EQ(stage_->running(), static_cast<std::size_t>(kMostTasks));
  for (int i = 0; i < kMostTasks; ++i) backend().stop({attempt_of(Does::runs_on, i), kLongGrace});
  for (int i = 0; i < kMostTasks; ++i) EXPECT_EQ(expect<job::Exited>(attempt_of(Does::runs_on, i)).status.signal, 15);
}

TEST_P(Conformance, closing_ends_everything_and_reports_nothing_more) {
  start_and_hear(attempt_of(Does::ignores_stop), Does::ignores_stop);
  start_and_hear(attempt_of(Does::runs_on), Does::runs_on);
  place(attempt_of(Does::ends_well));
  backend().place(request(attempt_of(Does::ends_well, 1), 1));
  const auto heard = events_.size();
  loop_.run(backend().close({}));
  EXPECT_TRUE(loop_.until([&] { return stage_->running() == 0; }));
  loop_.settle();
  EXPECT_EQ(events_.size(), heard);
}

TEST_P(Conformance, closing_twice_does_no_harm) {
  loop_.run(backend().close({}));
  loop_.run(backend().close({}));
}

std::string name_of(const testing::TestParamInfo<Kind>& kind) {
  return kind.param.name;
}

INSTANTIATE_TEST_SUITE_P(Fake, Conformance, testing::Values(Kind{"fake", fake_stage}), name_of);
INSTANTIATE_TEST_SUITE_P(Local, Conformance, testing::Values(Kind{"local", local_stage}), name_of);
INSTANTIATE_TEST_SUITE_P(Yarn, Conformance, testing::Values(Kind{"yarn", yarn_stage}), name_of);

}  // namespace
}  // namespace ydl::backend::test

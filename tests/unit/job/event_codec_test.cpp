#include "job/event_codec.hpp"

#include "job/machine.hpp"
#include "script.hpp"

#include <gmock/gmock.h>

namespace ydl::job {
namespace {

using ::testing::HasSubstr;

const AttemptId kAttempt{{"worker", 3}, 2};

std::vector<Event> one_of_each() {
  return {Begin{},
          Granted{kAttempt, "node1"},
          Reached{kAttempt},
          Placed{kAttempt, {"10.0.0.1", "node1", {7000, 7001}}},
          NotPlacedYet{kAttempt, "the queue is full"},
          CannotPlace{kAttempt, "no host is large enough", Cause::no_capacity},
          Started{kAttempt, 4711},
          StartFailed{kAttempt, Cause::port_taken, "port 7000 was taken"},
          Saving{kAttempt},
          Exited{kAttempt, {.signal = 9, .out_of_memory = true, .peak_memory = 1ULL << 40U, .killer = "the kernel"}},
          Lost{kAttempt, "its host is gone", Cause::host_lost},
          HostFailed{kAttempt, "node1", Cause::disk, "its disks are full"},
          NoHostLeft{"worker"},
          Saved{kAttempt},
          FellSilent{kAttempt},
          WritesAgain{kAttempt},
          Warned{kAttempt, Cause::decommissioned, Millis(14'000)},
          WarningOver{kAttempt},
          Broken{"the scheduler failed"},
          RendezvousFailed{kAttempt, "not every node registered"},
          StopRequested{"ann", Millis(250)},
          StopRequested{"ann", std::nullopt},
          Tick{}};
}

TEST(EventCodec, every_event_reads_back_as_it_was_written) {
  for (const auto& event : one_of_each()) {
    const auto line = encode_event({Millis(1250), event});
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const auto back = decode_event(line);
    ASSERT_TRUE(back) << line << ": " << back.error().message;
    EXPECT_EQ(back->at, Millis(1250));
    EXPECT_EQ(back->event.index(), event.index()) << line;
    EXPECT_EQ(encode_event(*back), line);
  }
}

TEST(EventCodec, a_line_is_plain_json) {
  EXPECT_EQ(encode_event({Millis(7), Started{kAttempt, 42}}),
            R"({"v":2,"at":7,"event":"started","attempt":{"task":"worker:3","number":2},"pid":42})");
}

std::string error_of(std::string_view line) {
  const auto event = decode_event(line);
  return event ? "" : event.error().message;
}

TEST(EventCodec, a_field_that_is_missing_or_of_another_type_is_an_error_that_names_it) {
  EXPECT_THAT(error_of(R"({"v":2,"at":7,"event":"started","attempt":{"task":"worker:3","number":2}})"),
              HasSubstr("event started: 'pid' is missing"));
  EXPECT_THAT(error_of(R"({"v":2,"at":7,"event":"started","attempt":{"task":"worker:3"},"pid":1})"),
              HasSubstr("'attempt' 'number' is missing"));
  EXPECT_THAT(error_of(R"({"v":2,"at":7,"event":"broken","reason":7})"), HasSubstr("'reason' must be a string"));
  EXPECT_THAT(
      error_of(R"({"v":2,"at":7,"event":"lost","attempt":{"task":"w:0","number":1},"reason":"","cause":"luck"})"),
      HasSubstr("'cause' has the unknown value 'luck'"));
  EXPECT_THAT(error_of(R"({"v":2,"at":7,"event":"sang"})"), HasSubstr("'event' has the unknown value 'sang'"));
  EXPECT_THAT(error_of("{"), HasSubstr("not JSON"));
}

TEST(EventCodec, another_version_is_refused_in_a_sentence) {
  const auto event = decode_event(R"({"v":99,"at":7,"event":"tick"})");
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().code, core::Errc::refused);
  EXPECT_THAT(event.error().message, HasSubstr("version 99"));
}

// The recorded events are enough to put a new machine into the state of the old one.
TEST(EventCodec, a_machine_that_is_told_the_written_events_is_in_the_same_state) {
  auto plan = workers(2);
  plan.roles[0].retries = 2;
  Script told(plan);
  std::vector<std::string> lines;
  const auto tell = [&](const Event& event, Millis after = Millis(10)) {
    told.now += after;
    lines.push_back(encode_event({told.now - Instant{}, event}));
    told.happens(event);
  };
  tell(Begin{});
  for (int i = 0; i < 2; ++i) tell(Placed{{{"worker", i}, 1}, {"10.0.0.1", "node1", {7000}}});
  for (int i = 0; i < 2; ++i) tell(Started{{{"worker", i}, 1}, 42});
  tell(Lost{{{"worker", 1}, 1}, "its host is gone", Cause::host_lost});
  tell(Tick{}, core::Seconds(5));
  tell(Placed{{{"worker", 1}, 2}, {"10.0.0.2", "node2", {7000}}});

  Machine again(plan);
  for (const auto& line : lines) {
    const auto event = decode_event(line);
    (void)again.handle(event->event, Instant{} + event->at);
  }
  const auto left = told.machine.snapshot();
  const auto right = again.snapshot();
  EXPECT_EQ(left.state, right.state);
  for (std::size_t i = 0; i < left.tasks.size(); ++i) {
    EXPECT_EQ(left.tasks[i].state, right.tasks[i].state);
    EXPECT_EQ(left.tasks[i].attempt, right.tasks[i].attempt);
    EXPECT_EQ(left.tasks[i].running_since, right.tasks[i].running_since);
  }
  EXPECT_EQ(told.machine.next_deadline(), again.next_deadline());
}

}  // namespace
}  // namespace ydl::job

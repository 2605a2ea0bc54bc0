#include "core/json.hpp"
#include "protocol/commands.hpp"
#include "protocol/hello.hpp"
#include "protocol/numbered_queue.hpp"
#include "protocol/reports.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace ydl::protocol {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

const core::AttemptId kAttempt{{"worker", 1}, 2};

// What comes back after a trip over the wire, as text, so that every field counts.
std::string round_trip(const Command& command) {
  const auto back = command_from_json(*core::parse_json_object(json::serialize(to_json(command))));
  return back ? json::serialize(to_json(*back)) : back.error().message;
}
std::string round_trip(const Report& report) {
  const auto back = report_from_json(*core::parse_json_object(json::serialize(to_json(report))));
  return back ? json::serialize(to_json(*back)) : back.error().message;
}

TEST(AgentProtocol, a_grace_of_weeks_is_understood) {
  const Command stop = Stop{kAttempt, std::chrono::hours(24 * 60)};
  EXPECT_EQ(round_trip(stop), json::serialize(to_json(stop)));
}

TEST(AgentProtocol, progress_is_a_number_from_0_to_1) {
  for (const auto* number : {"1e999", "-1e999", "1.5", "-0.1"}) {
    const auto text = R"({"type":"output","attempt":{"task":"worker:0","number":1},"last_line":"","progress":)" +
                      std::string(number) + R"(,"progress_text":""})";
    const auto report = report_from_json(*core::parse_json_object(text));
    ASSERT_TRUE(report) << number;
    EXPECT_FALSE(std::get<TaskOutput>(*report).progress) << number;
  }
}

TEST(AgentProtocol, every_command_survives_the_wire) {
  Prepare prepare;
  prepare.attempt = kAttempt;
  prepare.ports = 2;
  prepare.port_range = {20000, 20100};
  prepare.gpus = 1;
  prepare.host_gpus = HostGpus::hidden_with_note;
  prepare.memory_limit = 1ULL << 33U;
  prepare.vcores_limit = 4;
  prepare.working_directory = "/w";
  prepare.results_directory = "/r";
  prepare.log_directory = "/l";
  prepare.linked_directory = "/d";
  prepare.links = {{"/a b", "ü"}};
  prepare.path_first = {".env/bin"};
  prepare.remote_logs = "/user/a/logs";
  prepare.remote_results = "/user/a/results";
  prepare.inputs = {{"/data/x", "x"}};
  prepare.image = Image{"podman", "docker.io/library/python:3", {"--ulimit", "nofile=1024"}};
  prepare.image->pull = Image::Pull::always;
  prepare.remote_saves = "/user/a/saves";
  prepare.save_every = core::Seconds(30);
  prepare.restore = {{"/user/a/saves", "/user/a/results"}};
  prepare.stall_timeout = core::Seconds(600);
  prepare.scheduler = SchedulerPlan{3, 2, core::Seconds(600), "0.0.0.0", true};
  const core::AttemptId server{{"server", 0}, 1};
  const Launch launch{kAttempt, {"sh", "-c", "echo \"$X\"\n"}, {{"X", "a'b\\"}}};
  for (const Command& command :
       {Command(prepare), Command(launch), Command(Stop{kAttempt, core::Millis(1500), true}),
        Command(Warn{kAttempt, {"worker", 1}, job::Cause::preempted, core::Seconds(14)}), Command(CallOff{kAttempt}),
        Command(SchedulerExpect{server, "10.0.0.5", {{kAttempt, "10.0.0.7", 4711}}, {"10.0.0.7", "fd00::7"}}),
        Command(SchedulerEnded{server, kAttempt, job::MemberEnded::Next::restarts, "was killed by signal 9"}),
        Command(ReadLog{kAttempt, LogStream::standard_error, 1ULL << 40U, 65536, 7}), Command(Release{kAttempt}),
        Command(Shutdown{})}) {
    EXPECT_EQ(round_trip(command), json::serialize(to_json(command)));
  }
}

TEST(AgentProtocol, every_report_survives_the_wire) {
  const job::ExitStatus status{3, 0, true, 123, 456};
  for (const Report& report :
       {Report(Prepared{kAttempt, {1, 65535}}), Report(PrepareFailed{kAttempt, "no"}),
        Report(PrepareFailed{kAttempt, "no", job::Cause::disk, true}), Report(TaskStarted{kAttempt, 42}),
        Report(TaskStartFailed{kAttempt, job::Cause::port_taken, "taken"}), Report(TaskSaving{kAttempt}),
        Report(TaskSaved{kAttempt}), Report(TaskSilent{kAttempt}), Report(TaskWrites{kAttempt}),
        Report(TaskExited{kAttempt, status, 2, ""}), Report(TaskExited{kAttempt, status, 0, "not saved"}),
        Report(SchedulerNote{kAttempt, "a sentence"}), Report(SchedulerBroken{kAttempt, "no node registered"}),
        Report(Note{kAttempt, "a sentence"}), Report(LogPiece{kAttempt, 7, 1ULL << 40U, 9, {{"\0\xff\n", 3}}, ""}),
        Report(LogPiece{kAttempt, 7, 0, 0, {}, "gone"}), Report(TaskOutput{kAttempt, "line", 0.5, "half"}),
        Report(TaskOutput{kAttempt, "line", std::nullopt, "", 250, 1ULL << 33U, core::Seconds(48)}),
        Report(TaskOutput{kAttempt, "line", std::nullopt, ""})}) {
    EXPECT_EQ(round_trip(report), json::serialize(to_json(report)));
  }
}

// The message with one member changed; nothing: without it.
json::object with(json::object object, const char* key, const std::optional<json::value>& value) {
  object.erase(key);
  if (value) object[key] = *value;
  return object;
}

// Every member of every message: without it, or with a value of another type, the message is refused by its name.
template <class Message, class Decode>
void expect_strict(const Message& message, Decode decode) {
  const auto whole = to_json(message);
  for (const auto& member : whole) {
    const std::string key(member.key());
    for (const auto& value : {std::optional<json::value>(), std::optional<json::value>(json::array{json::object()})}) {
      const auto read = decode(with(whole, key.c_str(), value));
      ASSERT_FALSE(read) << json::serialize(whole) << " with another " << key;
      EXPECT_THAT(read.error().message, HasSubstr("'" + key + "'"));
    }
  }
}

TEST(AgentProtocol, a_member_that_is_missing_or_of_another_type_is_named) {
  Prepare prepare;
  prepare.attempt = kAttempt;
  expect_strict(Command(prepare), command_from_json);
  expect_strict(Command(Launch{kAttempt, {"true"}}), command_from_json);
  expect_strict(Command(Stop{kAttempt}), command_from_json);
  expect_strict(Command(ReadLog{kAttempt}), command_from_json);
  expect_strict(Command(SchedulerExpect{kAttempt, "10.0.0.5", {}, {}}), command_from_json);
  expect_strict(Command(SchedulerEnded{kAttempt, kAttempt, job::MemberEnded::Next::gone, ""}), command_from_json);
  expect_strict(Report(SchedulerBroken{kAttempt, "no node registered"}), report_from_json);
  expect_strict(Report(Prepared{kAttempt, {1}}), report_from_json);
  expect_strict(Report(PrepareFailed{kAttempt, "no"}), report_from_json);
  expect_strict(Report(TaskExited{kAttempt, {}, 2, ""}), report_from_json);
  expect_strict(Report(TaskOutput{kAttempt, "line", std::nullopt, ""}), report_from_json);
  expect_strict(Report(LogPiece{kAttempt, 7, 0, 0, {}, "gone"}), report_from_json);
}

TEST(AgentProtocol, commands_that_no_master_sends_are_refused) {
  Prepare prepare;
  prepare.attempt = kAttempt;
  const auto object = to_json(Command(prepare));
  EXPECT_TRUE(command_from_json(object));
  const json::object image{
      {"runtime", "rm"}, {"image", "x"}, {"options", json::array()}, {"network", "host"}, {"pull", "never"}};
  const std::initializer_list<std::pair<const char*, json::value>> changes{
      {"type", "dance"},
      {"attempt", {{"task", "worker"}, {"number", 1}}},
      {"attempt", {{"task", "worker:0"}, {"number", -1}}},
      {"ports", 99999},
      {"gpus", -1},
      {"host_gpus", "some"},
      {"image", image},
      {"port_range", json::array{1}},
      {"port_range", json::array{0, 9}},
      {"memory_limit", -1}};
  for (const auto& [key, value] : changes) EXPECT_FALSE(command_from_json(with(object, key, value))) << key << value;
  EXPECT_FALSE(command_from_json(to_json(Command(Launch{kAttempt, {}}))));
  EXPECT_FALSE(command_from_json(to_json(Command(Stop{kAttempt, core::Millis(-1)}))));
  EXPECT_FALSE(command_from_json(with(to_json(Command(ReadLog{kAttempt})), "offset", -1)));
  EXPECT_FALSE(command_from_json(with(to_json(Command(ReadLog{kAttempt})), "stream", "x")));
}

TEST(AgentProtocol, reports_that_no_agent_sends_are_refused) {
  for (const Report& report : {Report(Prepared{kAttempt, {0}}), Report(TaskExited{kAttempt, {300}, 0, ""}),
                               Report(TaskExited{kAttempt, {0, -9}, 0, ""})}) {
    EXPECT_FALSE(report_from_json(to_json(report)));
  }
  EXPECT_FALSE(report_from_json(with(to_json(Report(Prepared{kAttempt, {}})), "ports", json::array{70000})));
  EXPECT_FALSE(report_from_json(with(to_json(Report(LogPiece{kAttempt, 7, 0, 0, {}, ""})), "bytes", "?")));
  EXPECT_FALSE(report_from_json(with(to_json(Report(PrepareFailed{kAttempt, "no"})), "cause", "odd")));
}

TEST(NumberedQueue, what_was_not_confirmed_is_sent_again_and_counted_once) {
  Outbox<int> outbox;
  outbox.push(10);
  outbox.push(20);
  Inbox inbox;
  EXPECT_TRUE(inbox.accept(outbox.first()));
  EXPECT_FALSE(inbox.accept(outbox.first()));  // the same call again after a lost answer
  outbox.confirm(inbox.last());
  ASSERT_EQ(outbox.items().size(), 1U);
  EXPECT_EQ(outbox.items().front(), 20);
  EXPECT_TRUE(inbox.accept(outbox.first()));
  outbox.confirm(99);
  EXPECT_TRUE(outbox.empty());
}

}  // namespace
}  // namespace ydl::protocol

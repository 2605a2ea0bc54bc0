#include "core/json.hpp"
#include "protocol/commands.hpp"
#include "protocol/hello.hpp"
#include "protocol/numbered_queue.hpp"
#include "protocol/reports.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace ydl::protocol {
namespace {

namespace json = boost::json;

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
  for (const auto* number : {"1e999", "-1e999", "1.5", "-0.1", "\"x\""}) {
    const auto text = R"({"type":"output","task":"worker:0","attempt":1,"progress":)" + std::string(number) + "}";
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
  const Launch launch{kAttempt, {"sh", "-c", "echo \"$X\"\n"}, {{"X", "a'b\\"}}};
  for (const Command& command : {Command(prepare), Command(launch), Command(Stop{kAttempt, core::Millis(1500)}),
                                 Command(ReadLog{kAttempt, LogStream::standard_error, 1ULL << 40U, 65536, 7}),
                                 Command(Release{kAttempt}), Command(Shutdown{})}) {
    EXPECT_EQ(round_trip(command), json::serialize(to_json(command)));
  }
}

TEST(AgentProtocol, every_report_survives_the_wire) {
  const job::ExitStatus status{3, 0, true, 123, 456};
  for (const Report& report :
       {Report(Prepared{kAttempt, {1, 65535}}), Report(PrepareFailed{kAttempt, "no"}),
        Report(PrepareFailed{kAttempt, "no", job::Cause::disk, true}), Report(TaskStarted{kAttempt, 42}),
        Report(TaskStartFailed{kAttempt, job::Cause::port_taken, "taken"}), Report(TaskSaving{kAttempt}),
        Report(TaskExited{kAttempt, status, 2, ""}), Report(TaskExited{kAttempt, status, 0, "not saved"}),
        Report(Note{kAttempt, "a sentence"}), Report(LogPiece{kAttempt, 7, 1ULL << 40U, 9, {"\0\xff\n", 3}, ""}),
        Report(LogPiece{kAttempt, 7, 0, 0, "", "gone"}), Report(TaskOutput{kAttempt, "line", 0.5, "half"}),
        Report(TaskOutput{kAttempt, "line", std::nullopt, ""})}) {
    EXPECT_EQ(round_trip(report), json::serialize(to_json(report)));
  }
}

TEST(AgentProtocol, what_is_no_command_or_report_is_refused) {
  for (
      const auto* text :
      {R"({})", R"({"type":"dance","task":"worker:0","attempt":1})", R"({"type":"stop","task":"worker:0","attempt":1})",
       R"({"type":"stop","task":"worker","attempt":1,"grace_ms":1})",
       R"({"type":"stop","task":"worker:0","attempt":-1,"grace_ms":1})",
       R"({"type":"prepare","task":"worker:0","attempt":1,"ports":0,"gpus":0,"vcores_limit":0,"working_directory":"w",)"
       R"("results_directory":"r","log_directory":"l","image":{"runtime":"rm","image":"x","options":[]}})",
       R"({"type":"prepare","task":"worker:0","attempt":1,"ports":0,"gpus":0,"vcores_limit":0,"working_directory":"w",)"
       R"("results_directory":"r","log_directory":"l","host_gpus":"some"})",
       R"({"type":"launch","task":"worker:0","attempt":1,"argv":[],"env":{}})",
       R"({"type":"read_log","task":"worker:0","attempt":1,"stream":"x","offset":0,"limit":1,"token":1})",
       R"({"type":"read_log","task":"worker:0","attempt":1,"stream":"stdout","offset":-1,"limit":1,"token":1})",
       R"({"type":"launch","task":"worker:0","attempt":1,"argv":[1],"env":{}})",
       R"({"type":"prepare","task":"worker:0","attempt":1,"ports":99999})"}) {
    EXPECT_FALSE(command_from_json(*core::parse_json_object(text))) << text;
  }
  for (const auto* text :
       {R"({})", R"({"type":"prepared","task":"worker:0","attempt":1,"ports":[70000]})",
        R"({"type":"start_failed","task":"worker:0","attempt":1,"failure":"odd"})",
        R"({"type":"log_piece","task":"worker:0","attempt":1,"token":1,"offset":0,"size":1,"bytes":"?"})",
        R"({"type":"exited","task":"worker:0","attempt":1,"code":300,"signal":0})"}) {
    EXPECT_FALSE(report_from_json(*core::parse_json_object(text))) << text;
  }
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

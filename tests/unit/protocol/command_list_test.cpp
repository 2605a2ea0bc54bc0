#include "protocol/command_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::protocol {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

constexpr Epoch kEpoch{3};
const core::AttemptId kFirst{{"worker", 0}, 1};
const core::AttemptId kSecond{{"worker", 1}, 1};

struct Taken {
  Sequence seq = 0;
  core::Result<Command> command;
};

std::vector<Taken> read(std::string_view text) {
  std::vector<Taken> all;
  const auto done = read_commands(
      text, {[](Epoch epoch) { return epoch == kEpoch; },
             [&](Sequence seq, core::Result<Command> command) { all.push_back({seq, std::move(command)}); }});
  EXPECT_TRUE(done) << done.error().message;
  return all;
}

const Launch& launch(const Taken& taken) {
  return std::get<Launch>(*taken.command);
}

// As the agent gets it.
std::string body_of(const CommandList& list) {
  return list.commands + (list.gang == nullptr ? "" : *list.gang);
}

Launch launch_of_gang(const core::AttemptId& attempt, const GangFacts& gang, std::shared_ptr<const std::string> text) {
  Launch launch{attempt, {"train"}};
  launch.env = {{"RANK", std::to_string(attempt.task.index)}, {"TF_CONFIG", std::to_string(attempt.task.index) + "}"}};
  if (gang.beginnings.contains("TF_CONFIG")) launch.continued = {"TF_CONFIG"};
  launch.gang_text = std::move(text);
  return launch;
}

std::size_t count(std::string_view text, std::string_view word) {
  std::size_t found = 0;
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

TEST(CommandList, variables_common_to_all_launches_are_sent_once_and_reach_each) {
  Outbox<Command> outbox;
  outbox.push(Launch{kFirst, {"train"}, {{"RANK", "0"}, {"TASKS", "all-of-them"}}});
  outbox.push(Launch{kSecond, {"train"}, {{"RANK", "1"}, {"TASKS", "all-of-them"}}});
  const auto text = body_of(encode_commands(kEpoch, outbox));
  EXPECT_EQ(count(text, "all-of-them"), 1U);
  const auto list = read(text);
  ASSERT_EQ(list.size(), 2U);
  EXPECT_THAT(launch(list.at(0)).env, ElementsAre(Pair("RANK", "0"), Pair("TASKS", "all-of-them")));
  EXPECT_THAT(launch(list.at(1)).env, ElementsAre(Pair("RANK", "1"), Pair("TASKS", "all-of-them")));
}

TEST(CommandList, a_variable_that_only_some_have_stays_theirs) {
  Outbox<Command> outbox;
  outbox.push(Launch{kFirst, {"train"}, {{"A", "1"}, {"B", "1"}}});
  outbox.push(Launch{kSecond, {"train"}, {{"A", "1"}}});
  const auto list = read(body_of(encode_commands(kEpoch, outbox)));
  EXPECT_THAT(launch(list.at(0)).env, ElementsAre(Pair("A", "1"), Pair("B", "1")));
  EXPECT_THAT(launch(list.at(1)).env, ElementsAre(Pair("A", "1")));
}

TEST(CommandList, one_launch_has_nothing_in_common) {
  Outbox<Command> outbox;
  outbox.push(Launch{kFirst, {"train"}, {{"A", "1"}}});
  outbox.push(Stop{kFirst, core::Millis(5)});
  const auto text = body_of(encode_commands(kEpoch, outbox));
  EXPECT_THAT(text, HasSubstr(R"("common_env":{})"));
  EXPECT_THAT(launch(read(text).at(0)).env, ElementsAre(Pair("A", "1")));
}

TEST(CommandList, what_grows_with_the_gang_is_in_memory_once_and_reaches_each_task) {
  const GangFacts gang{2, R"({"worker":[{"host":"a"},{"host":"b"}]})", {{"TF_CONFIG", "{all-of-them,"}}};
  const auto text = encode_gang(gang);
  Outbox<Command> one;
  Outbox<Command> other;
  one.push(launch_of_gang(kFirst, gang, text));
  other.push(launch_of_gang(kSecond, gang, text));
  EXPECT_EQ(encode_commands(kEpoch, one).gang, text);
  EXPECT_EQ(encode_commands(kEpoch, other).gang, text);
  EXPECT_EQ(count(encode_commands(kEpoch, one).commands, "all-of-them"), 0U);
  const auto list = read(body_of(encode_commands(kEpoch, other)));
  ASSERT_EQ(list.size(), 1U);
  EXPECT_THAT(launch(list.at(0)).env, ElementsAre(Pair("RANK", "1"), Pair("TF_CONFIG", "{all-of-them,1}")));
  ASSERT_NE(launch(list.at(0)).gang, nullptr);
  EXPECT_EQ(launch(list.at(0)).gang->start, 2);
  EXPECT_EQ(launch(list.at(0)).gang->tasks, gang.tasks);
}

TEST(CommandList, launches_of_two_gangs_come_in_two_answers) {
  const GangFacts first{1, "{}", {}};
  const GangFacts second{2, R"({"worker":[]})", {}};
  Outbox<Command> outbox;
  outbox.push(launch_of_gang(kFirst, first, encode_gang(first)));
  outbox.push(Stop{kFirst, core::Millis(5)});
  outbox.push(launch_of_gang({{"worker", 0}, 2}, second, encode_gang(second)));
  const auto before = read(body_of(encode_commands(kEpoch, outbox)));
  ASSERT_EQ(before.size(), 2U);
  EXPECT_EQ(launch(before.at(0)).gang->start, 1);
  outbox.confirm(2);
  const auto after = read(body_of(encode_commands(kEpoch, outbox)));
  ASSERT_EQ(after.size(), 1U);
  EXPECT_EQ(after.at(0).seq, 3U);
  EXPECT_EQ(launch(after.at(0)).gang->start, 2);
}

TEST(CommandList, a_launch_whose_variable_has_no_beginning_is_not_understood) {
  const auto list = read(
      R"({"epoch":3,"commands":[{"seq":1,"type":"launch","attempt":{"task":"worker:0","number":1},"argv":["x"],"env":{},"continued":["A"]}],)"
      R"("common_env":{}})");
  ASSERT_EQ(list.size(), 1U);
  EXPECT_FALSE(list.at(0).command);
}

TEST(CommandList, a_byte_that_is_not_utf8_does_not_make_the_list_unreadable) {
  Outbox<Command> outbox;
  outbox.push(Launch{kFirst, {"train", "caf\xe9"}, {{"A\xff", "\xff"}}});
  const auto list = read(body_of(encode_commands(kEpoch, outbox)));
  ASSERT_EQ(list.size(), 1U);
  EXPECT_THAT(launch(list.at(0)).argv, ElementsAre("train", "caf\xEF\xBF\xBD"));
}

TEST(CommandList, numbers_go_on_from_what_was_confirmed) {
  Outbox<Command> outbox;
  outbox.push(Release{kFirst});
  outbox.push(Shutdown{});
  outbox.confirm(1);
  const auto list = read(body_of(encode_commands(kEpoch, outbox)));
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list.at(0).seq, 2U);
}

TEST(CommandList, a_command_that_is_not_understood_does_not_hide_the_others) {
  const auto list =
      read(R"({"epoch":3,"commands":[{"seq":1,"type":"dance"},{"seq":2,"type":"shutdown"}],"common_env":{}})");
  ASSERT_EQ(list.size(), 2U);
  EXPECT_FALSE(list.at(0).command);
  EXPECT_TRUE(list.at(1).command);
}

TEST(CommandList, a_body_that_is_not_a_list_is_refused) {
  for (const auto* text :
       {"", "[]", "{}", R"({"epoch":3,"commands":{}})", R"({"epoch":3,"commands":[1]})",
        R"({"epoch":3,"commands":[{"type":"shutdown"}],"common_env":{}})",
        R"({"epoch":3,"commands":[{"seq":0,"type":"shutdown"}],"common_env":{}})",
        R"({"epoch":3,"commands":[],"common_env":[]})", R"({"epoch":3,"commands":[],"common_env":{"A":1}})",
        "{\"commands\":[]}\n", "{\"commands\":[]}\n{\"start\":1}",
        "{\"commands\":[]}\n{\"start\":1,\"tasks\":{},\"beginnings\":{\"A\":1}}"}) {
    EXPECT_FALSE(read_commands(text, {[](Epoch) { return true; }, [](Sequence, const core::Result<Command>&) {}}))
        << text;
  }
}

TEST(CommandList, without_an_epoch_is_refused) {
  for (const auto* text : {R"({"commands":[]})", R"({"epoch":0,"commands":[]})", R"({"epoch":"3","commands":[]})"}) {
    EXPECT_FALSE(read_commands(text, {[](Epoch) { return true; }, [](Sequence, const core::Result<Command>&) {}}))
        << text;
  }
}

TEST(CommandList, one_of_a_master_that_was_replaced_is_not_read) {
  Outbox<Command> outbox;
  outbox.push(Shutdown{});
  const CommandSink sink{[](Epoch epoch) { return epoch > kEpoch; },
                         [](Sequence, const core::Result<Command>&) { ADD_FAILURE() << "it was obeyed"; }};
  const auto read = read_commands(body_of(encode_commands(kEpoch, outbox)), sink);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, core::Errc::refused);
}

}  // namespace
}  // namespace ydl::protocol

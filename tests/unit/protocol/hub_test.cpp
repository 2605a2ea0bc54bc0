#include "protocol/hub.hpp"

#include "core/json.hpp"
#include "core/version.hpp"
#include "support/loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::protocol {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const core::AgentId kAgent{"container_1"};
const core::AttemptId kAttempt{{"worker", 0}, 1};
const ReadLog kQuestion{kAttempt, LogStream::standard_error, 100, 4096, 0};

// An agent may report about attempts that it was told to prepare, and no others.
Prepare prepare_it() {
  Prepare prepare;
  prepare.attempt = kAttempt;
  return prepare;
}

class LogQuestions : public testing::Test {
 protected:
  LogQuestions() {
    hub.expect(kAgent, {[](const Hello&) {},
                        [this](const Report& report) {
                          ++heard;
                          last = report;
                        }});
    hub.send(kAgent, prepare_it());
  }

  void ask(core::Millis at_most = core::Seconds(600)) { loop.spawn(keep_answer(at_most)); }
  net::awaitable<void> keep_answer(core::Millis at_most) {
    answers.push_back(co_await hub.read_log(kAgent, kQuestion, at_most));
  }

  // What the agent finds when it fetches its commands.
  std::vector<ReadLog> fetch() {
    const auto body = loop.run(hub.commands(kAgent, 0, core::Millis(0)));
    std::vector<ReadLog> questions;
    const auto object = core::parse_json_object(body.value().commands);
    for (const auto& item : **core::json_array(*object, "commands")) {
      const auto command = command_from_json(item.get_object()).value();
      if (const auto* question = std::get_if<ReadLog>(&command)) questions.push_back(*question);
    }
    return questions;
  }
  void report(const Report& what) {
    const json::object body{
        {"epoch", 1}, {"first", static_cast<std::int64_t>(++reported)}, {"reports", json::array{to_json(what)}}};
    ASSERT_TRUE(hub.reports(kAgent, json::serialize(body)));
    loop.settle();
  }

  test::Loop loop;
  Hub hub{loop.executor()};
  std::vector<core::Result<LogPiece>> answers;
  int heard = 0;
  std::optional<Report> last;
  int reported = 0;
};

TEST_F(LogQuestions, each_answer_goes_to_its_caller_and_not_to_the_listener) {
  ask();
  ask();
  loop.settle();
  const auto questions = fetch();
  ASSERT_EQ(questions.size(), 2U);
  EXPECT_EQ(questions[0].offset, 100U);
  EXPECT_EQ(questions[0].stream, LogStream::standard_error);
  report(LogPiece{kAttempt, questions[1].token, 100, 103, {"two"}, ""});
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0]->bytes.data, "two");
  EXPECT_EQ(answers[0]->size, 103U);
  report(LogPiece{kAttempt, questions[0].token, 100, 103, {"one"}, ""});
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[1]->bytes.data, "one");
  EXPECT_EQ(heard, 0);
  report(Note{kAttempt, "a sentence"});
  EXPECT_EQ(heard, 1);
}

TEST_F(LogQuestions, a_report_about_an_attempt_of_another_agent_is_dropped) {
  report(TaskOutput{{{"worker", 1}, 1}, "I am another", {}, {}});
  report(TaskExited{{{"worker", 0}, 2}, {}, 0, {}});
  report(TaskOutput{{{"nosuch", 0}, 1}, "unknown", {}, {}});
  EXPECT_EQ(heard, 0);
  hub.send(kAgent, Release{kAttempt});
  report(TaskExited{kAttempt, {}, 0, {}});  // a task that was released may still report its end
  EXPECT_EQ(heard, 1);
}

TEST_F(LogQuestions, an_agent_that_does_not_answer_is_given_up_and_its_late_answer_ignored) {
  ask(core::Millis(0));
  ASSERT_TRUE(loop.until([&] { return !answers.empty(); }));
  ASSERT_FALSE(answers[0]);
  EXPECT_EQ(answers[0].error().code, core::Errc::timeout);
  report(LogPiece{kAttempt, fetch().at(0).token, 100, 103, {"late"}, ""});
  EXPECT_EQ(answers.size(), 1U);
}

TEST_F(LogQuestions, an_agent_has_few_of_them_at_a_time_even_after_their_callers_have_left) {
  for (int i = 0; i < 8; ++i) ask(core::Millis(0));
  ASSERT_TRUE(loop.until([&] { return answers.size() == 8; }));
  ask();
  loop.settle();
  ASSERT_EQ(answers.size(), 9U);
  ASSERT_FALSE(answers[8]);
  EXPECT_EQ(answers[8].error().code, core::Errc::unavailable);
  report(LogPiece{kAttempt, fetch().at(0).token, 0, 0, {}, ""});
  ask();
  loop.settle();
  EXPECT_EQ(fetch().size(), 9U) << "one was answered, so the next is asked";
}

TEST_F(LogQuestions, an_agent_that_holds_fewer_ports_than_it_was_told_to_has_not_prepared_the_task) {
  const core::AttemptId attempt{{"worker", 3}, 1};
  Prepare prepare;
  prepare.attempt = attempt;
  prepare.ports = 2;
  hub.send(kAgent, prepare);
  report(Prepared{attempt, {7000}});
  ASSERT_EQ(heard, 1);
  ASSERT_TRUE(std::holds_alternative<PrepareFailed>(*last));
  EXPECT_EQ(std::get<PrepareFailed>(*last).reason, "its agent holds 1 port for it instead of 2");
  report(Prepared{attempt, {7000, 7001}});
  EXPECT_TRUE(std::holds_alternative<Prepared>(*last));
}

TEST_F(LogQuestions, what_the_agent_could_not_read_is_an_error_with_its_words) {
  ask();
  loop.settle();
  report(LogPiece{kAttempt, fetch().at(0).token, 0, 0, {""}, "cannot read /x: it is gone"});
  ASSERT_EQ(answers.size(), 1U);
  ASSERT_FALSE(answers[0]);
  EXPECT_THAT(answers[0].error().message, HasSubstr("it is gone"));
}

TEST_F(LogQuestions, questions_to_a_forgotten_agent_are_not_answered) {
  ask();
  loop.settle();
  hub.forget(kAgent);
  loop.settle();
  ASSERT_EQ(answers.size(), 1U);
  ASSERT_FALSE(answers[0]);
  EXPECT_EQ(answers[0].error().code, core::Errc::not_found);
  const auto unknown = loop.run(hub.read_log({"nobody"}, kQuestion));
  EXPECT_FALSE(unknown);
}

TEST(HubEpoch, a_hello_and_commands_name_it) {
  test::Loop loop;
  Hub hub{loop.executor(), Epoch{2}};
  hub.expect(kAgent, {[](const Hello&) {}, [](const Report&) {}});
  const Hello hello{kProtocolVersion, std::string(core::kVersion), "n1", 7};
  const auto welcome = hub.hello(kAgent, json::serialize(to_json(hello)));
  ASSERT_TRUE(welcome) << welcome.error().message;
  EXPECT_EQ(welcome->epoch, Epoch{2});
  hub.send(kAgent, Release{kAttempt});
  const auto list = loop.run(hub.commands(kAgent, 0, core::Millis(0)));
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_THAT(list->commands, HasSubstr(R"("epoch":2)"));
}

TEST(HubEpoch, reports_of_another_epoch_are_refused_and_not_delivered) {
  test::Loop loop;
  Hub hub{loop.executor(), Epoch{2}};
  int heard = 0;
  hub.expect(kAgent, {[](const Hello&) {}, [&](const Report&) { ++heard; }});
  hub.send(kAgent, prepare_it());
  const auto text = json::serialize(to_json(Note{kAttempt, "one"}));
  for (const auto epoch : {1, 3}) {
    const auto taken = hub.reports(kAgent, fmt::format(R"({{"epoch":{},"first":1,"reports":[{}]}})", epoch, text));
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().code, core::Errc::refused);
  }
  EXPECT_EQ(heard, 0);
  EXPECT_TRUE(hub.reports(kAgent, fmt::format(R"({{"epoch":2,"first":1,"reports":[{}]}})", text)));
  EXPECT_EQ(heard, 1);
}

class Reports : public testing::Test {
 protected:
  Reports() {
    hub.expect(kAgent, {[](const Hello&) {}, [this](const Report& report) { heard.push_back(report); }});
    hub.send(kAgent, prepare_it());
  }
  [[nodiscard]] std::vector<std::string> notes() const {
    std::vector<std::string> texts;
    for (const auto& report : heard) texts.push_back(std::get<Note>(report).text);
    return texts;
  }
  static std::string note(std::string_view text) { return json::serialize(to_json(Note{kAttempt, std::string(text)})); }

  test::Loop loop;
  Hub hub{loop.executor()};
  std::vector<Report> heard;
};

TEST_F(Reports, one_that_cannot_be_read_is_skipped_and_the_others_are_delivered) {
  const auto body =
      fmt::format(R"({{"epoch":1,"first":1,"reports":[{},{{"type":"dance"}},7,{}]}})", note("one"), note("four"));
  EXPECT_TRUE(hub.reports(kAgent, body)) << "an agent would send the same list again for ever";
  EXPECT_THAT(notes(), ElementsAre("one", "four"));
  // What was skipped keeps its number: only the fifth is new.
  EXPECT_TRUE(
      hub.reports(kAgent, fmt::format(R"({{"epoch":1,"first":4,"reports":[{},{}]}})", note("four"), note("five"))));
  EXPECT_THAT(notes(), ElementsAre("one", "four", "five"));
}

TEST_F(Reports, that_a_released_attempt_is_gone_is_delivered) {
  hub.send(kAgent, Release{kAttempt});
  const auto gone = json::serialize(to_json(TaskGone{kAttempt}));
  EXPECT_TRUE(hub.reports(kAgent, fmt::format(R"({{"epoch":1,"first":1,"reports":[{}]}})", gone)));
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(std::get<TaskGone>(heard[0]).attempt, kAttempt);
}

// A master that takes a job over: what its agents are answered.
class TakingOver : public testing::Test {
 protected:
  [[nodiscard]] core::Result<Welcome> hello(const core::AgentId& id) {
    const Hello hello{kProtocolVersion, std::string(core::kVersion), "n1", 7, {kAttempt}};
    return hub.hello(id, json::serialize(to_json(hello)));
  }
  // The code of each call's error.
  [[nodiscard]] std::vector<std::error_code> errors(const core::AgentId& id) {
    std::vector<std::error_code> codes;
    const auto add = [&](const auto& result) {
      codes.push_back(result ? std::error_code() : std::error_code(result.error().code));
    };
    add(hello(id));
    add(hub.reports(id, R"({"epoch":2,"first":1,"reports":[]})"));
    add(loop.run(hub.commands(id, 0, core::Millis(0))));
    return codes;
  }
  static std::vector<std::error_code> all(std::error_code code) { return {code, code, code}; }

  test::Loop loop;
  Hub hub{loop.executor(), Epoch{2}};
};

TEST_F(TakingOver, agents_that_it_does_not_know_yet_are_to_try_again) {
  hub.begin_taking_over();
  EXPECT_EQ(errors(kAgent), all(core::Errc::unavailable));
  std::vector<core::AttemptId> holds;
  hub.expect(kAgent, {[&](const Hello& hello) { holds = hello.holds; }, [](const Report&) {}});
  EXPECT_EQ(errors(kAgent), all({}));
  EXPECT_THAT(holds, ElementsAre(kAttempt));
  hub.end_taking_over();
  EXPECT_EQ(errors({"container_2"}), all(core::Errc::not_found));
}

TEST_F(TakingOver, an_agent_reports_about_an_attempt_that_was_adopted) {
  std::vector<Report> heard;
  hub.expect(kAgent, {[](const Hello&) {}, [&](const Report& report) { heard.push_back(report); }});
  hub.adopt(kAgent, kAttempt, 1);
  EXPECT_EQ(hub.agent_of(kAttempt), kAgent);
  const auto prepared = json::serialize(to_json(Prepared{kAttempt, {4000}}));
  EXPECT_TRUE(hub.reports(kAgent, fmt::format(R"({{"epoch":2,"first":1,"reports":[{}]}})", prepared)));
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<Prepared>(heard[0]));
}

TEST_F(TakingOver, a_suspended_master_answers_no_agent) {
  hub.expect(kAgent, {[](const Hello&) {}, [](const Report&) {}});
  std::optional<core::Result<CommandList>> open;
  loop.spawn([](Hub& hub, std::optional<core::Result<CommandList>>& answer) -> net::awaitable<void> {
    answer = co_await hub.commands(kAgent, 0, core::Seconds(600));
  }(hub, open));
  loop.settle();
  hub.suspend();
  loop.settle();
  ASSERT_TRUE(open) << "the call that was open still waits";
  ASSERT_FALSE(*open);
  EXPECT_EQ(open->error().code, core::Errc::unavailable);
  EXPECT_EQ(errors(kAgent), all(core::Errc::unavailable));
  EXPECT_EQ(errors({"container_2"}), all(core::Errc::unavailable)) << "it may belong to the job of another master";
  hub.resume();
  EXPECT_EQ(errors(kAgent), all({}));
}

}  // namespace
}  // namespace ydl::protocol

#include "client/views.hpp"

#include "core/strings.hpp"
#include "master/journal.hpp"
#include "support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr core::WallTime kTime{core::Millis(1'794'712'408'123)};

job::Record failed_worker() {
  job::Record record{
      job::RecordKind::task_failed, core::AttemptId{{"worker", 1}, 2}, "failed with exit code 3", {}, {}, 0};
  record.exit = job::ExitStatus{3};
  return record;
}

std::string line_of(std::uint64_t seq, const job::Record& record) {
  return boost::json::serialize(master::event_json(seq, kTime, record));
}

// ---- events ----------------------------------------------------------------------------------------------------

TEST(EventView, is_what_the_master_recorded) {
  const auto view = event_from_json(line_of(7, failed_worker()));
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_EQ(view->seq, 7U);
  EXPECT_EQ(view->time, kTime);
  EXPECT_EQ(view->kind, core::RecordKind::task_failed);
  EXPECT_EQ(view->task, (core::TaskId{"worker", 1}));
  EXPECT_EQ(view->attempt, 2);
  EXPECT_EQ(view->text, "failed with exit code 3");
}

TEST(EventView, every_kind_of_record_has_a_view) {
  for (int kind = 0; kind <= static_cast<int>(job::RecordKind::note); ++kind) {
    const job::Record record{static_cast<job::RecordKind>(kind), {}, "text", {}, {}, 0};
    const auto view = event_from_json(line_of(1, record));
    ASSERT_TRUE(view) << kind;
    EXPECT_EQ(view->kind, record.kind);
    EXPECT_FALSE(view->task);
  }
}

TEST(EventView, kinds_of_a_newer_master_are_shown_as_they_are) {
  const auto view =
      event_from_json(R"({"seq":1,"time":"2026-11-15T03:13:28.123Z","kind":"task_migrated","text":"","new":[1]})");
  ASSERT_TRUE(view);
  EXPECT_EQ(view->kind.name(), "task_migrated");
  EXPECT_FALSE(view->kind.value());
  EXPECT_EQ(view->text, "");
}

TEST(EventView, broken_events_are_refused) {
  for (const auto* line :
       {"", "{", "[]", "null", "{}", R"({"time":"2026-11-15T03:13:28.123Z"})", R"({"kind":"note","time":"yesterday"})",
        R"({"kind":7,"time":"2026-11-15T03:13:28.123Z"})"}) {
    EXPECT_FALSE(event_from_json(line)) << line;
  }
}

TEST(EventView, a_missing_or_mistyped_field_is_named) {
  const auto reason = [](const char* line) {
    const auto view = event_from_json(line);
    return view ? "read" : view.error().message;
  };
  EXPECT_THAT(reason(R"({"time":"2026-11-15T03:13:28.123Z","kind":"note","text":""})"), HasSubstr("'seq' is missing"));
  EXPECT_THAT(reason(R"({"seq":-4,"time":"2026-11-15T03:13:28.123Z","kind":"note","text":""})"), HasSubstr("'seq'"));
  EXPECT_THAT(reason(R"({"seq":1,"time":"2026-11-15T03:13:28.123Z","kind":"note","text":5})"), HasSubstr("'text'"));
  EXPECT_THAT(reason(R"({"seq":1,"time":"2026-11-15T03:13:28.123Z","kind":"note","text":"","task":"nonsense"})"),
              HasSubstr("'task'"));
}

TEST(EventViews, come_from_the_answer_of_the_api) {
  const auto body = fmt::format("{{\"events\":[{},{}]}}", line_of(1, failed_worker()), line_of(2, failed_worker()));
  const auto views = events_from_json(body);
  ASSERT_TRUE(views);
  ASSERT_EQ(views->size(), 2U);
  EXPECT_EQ((*views)[1].seq, 2U);
  EXPECT_TRUE(events_from_json(R"({"events":[]})")->empty());
}

TEST(EventViews, broken_answers_are_refused) {
  for (const auto* body : {"", "{}", R"({"events":{}})", R"({"events":[7]})", R"({"events":[{}]})"}) {
    EXPECT_FALSE(events_from_json(body)) << body;
  }
}

// ---- the job ---------------------------------------------------------------------------------------------------

constexpr const char* kRunning = R"({
  "id":"mnist-1","name":"mnist","framework":"mxnet","cluster":"local","user":"ann","state":"running","attempt":1,
  "submitted":"2026-11-15T03:13:28.123Z","logs":"/j/logs","results":"/j/results",
  "tasks":[
    {"id":"worker:0","attempt":2,"state":"running","reason":"","node":"host1",
     "running_since":"2026-11-15T03:13:29.000Z","last_line":"epoch 3","progress":0.5,"progress_text":"3/6",
     "left_ms":60000,"cpu_percent":97,"memory_bytes":5,"memory_limit_bytes":10,"quiet_ms":48000},
    {"id":"worker:1","attempt":1,"state":"succeeded","reason":"","ran_ms":1500}]})";

TEST(JobView, is_what_the_master_says) {
  const auto view = job_view_from_json(kRunning);
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_EQ(view->id, "mnist-1");
  EXPECT_EQ(view->framework, "mxnet");
  EXPECT_EQ(view->where, "this machine");
  EXPECT_EQ(view->state, core::JobState::running);
  EXPECT_EQ(view->submitted, kTime);
  EXPECT_FALSE(view->finished);
  EXPECT_FALSE(view->exit_code);
  EXPECT_EQ(view->logs_path, "/j/logs");
  EXPECT_EQ(view->results_path, "/j/results");
  ASSERT_EQ(view->tasks.size(), 2U);
  EXPECT_EQ(view->tasks[0].id, (core::TaskId{"worker", 0}));
  EXPECT_EQ(view->tasks[0].attempt, 2);
  EXPECT_EQ(view->tasks[0].node, "host1");
  EXPECT_TRUE(view->tasks[0].running_since);
  EXPECT_EQ(view->tasks[0].last_line, "epoch 3");
  EXPECT_EQ(view->tasks[0].progress, 0.5);
  EXPECT_EQ(view->tasks[0].progress_text, "3/6");
  EXPECT_EQ(view->tasks[0].left, core::Seconds(60));
  EXPECT_EQ(view->tasks[0].cpu_percent, 97);
  EXPECT_EQ(view->tasks[0].memory_bytes, 5U);
  EXPECT_EQ(view->tasks[0].memory_limit, 10U);
  EXPECT_EQ(view->tasks[0].quiet, core::Seconds(48));
  EXPECT_FALSE(view->progress || view->left) << "an older master does not send them";
  EXPECT_EQ(view->tasks[1].ran_for, core::Millis(1500));
  EXPECT_FALSE(view->tasks[1].progress);
}

TEST(JobView, has_the_hosts_that_the_job_avoids) {
  EXPECT_EQ(job_view_from_json(kRunning)->avoided.size(), 0U) << "an older master does not send them";
  std::string text = kRunning;
  text.replace(text.rfind('}'), 1,
               R"(,"avoided":[{"node":"node2","until":"2026-11-15T03:13:28.123Z","reason":"2 containers lost"},)"
               R"({"node":"node3","reason":"worker:1 failed with exit code 1"}]})");
  const auto view = job_view_from_json(text);
  ASSERT_TRUE(view) << view.error().message;
  ASSERT_EQ(view->avoided.size(), 2U);
  EXPECT_EQ(view->avoided[0].node, "node2");
  EXPECT_EQ(view->avoided[0].until, kTime);
  EXPECT_EQ(view->avoided[0].reason, "2 containers lost");
  EXPECT_EQ(view->avoided[1].node, "node3");
  EXPECT_FALSE(view->avoided[1].until);
}

TEST(JobView, has_a_notice_of_what_holds_the_job_up) {
  EXPECT_EQ(job_view_from_json(kRunning)->notice, "");
  std::string text = kRunning;
  text.replace(text.rfind('}'), 1, R"(,"notice":"HDFS does not answer"})");
  EXPECT_EQ(job_view_from_json(text)->notice, "HDFS does not answer");
}

TEST(JobView, of_a_job_that_ended_has_its_code_and_reason) {
  const auto view = job_view_from_json(
      R"({"id":"mnist-1","name":"mnist","framework":"mxnet","cluster":"yarn","user":"ann","state":"failed","attempt":1,)"
      R"("submitted":"2026-11-15T03:13:20.000Z","logs":"/l","results":"/r","tasks":[],)"
      R"("finished":"2026-11-15T03:13:28.123Z","exit_code":3,"reason":"worker:1 ended","cause":"exit_code"})");
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_EQ(view->where, "YARN");
  EXPECT_EQ(view->exit_code, 3);
  EXPECT_EQ(view->reason, "worker:1 ended");
  EXPECT_EQ(view->finished, kTime);
}

TEST(JobView, broken_views_are_refused) {
  for (const auto* text : {"", "{}", "[]", R"({"tasks":7})", R"({"tasks":[7]})", R"({"tasks":[{}]})",
                           R"({"tasks":[{"id":"worker"}]})", R"({"tasks":[)"}) {
    EXPECT_FALSE(job_view_from_json(text)) << text;
  }
}

// ---- what lies on disk -----------------------------------------------------------------------------------------

class StoredTest : public testing::Test {
 protected:
  StoredTest() : folder_(dir_.path() / "mnist-1") {
    std::filesystem::create_directories(folder_.root());
    jobs::JobFile job;
    job.created = kTime;
    job.results = "/r";
    job.spec.name = "mnist";
    job.spec.command = {"./train"};
    job.spec.roles.resize(1);
    job.spec.roles[0].name = "worker";
    job.spec.roles[0].count = 2;
    EXPECT_TRUE(jobs::write_job_file(folder_, job));
  }
  void write(const std::filesystem::path& path, std::string_view text) {
    std::filesystem::create_directories(path.parent_path());
    ASSERT_TRUE(core::write_file_atomically(path, text));
  }
  void write_state(const jobs::StateFile& state) { ASSERT_TRUE(jobs::write_state_file(folder_, state)); }

  test::TempDir dir_;
  jobs::JobFolder folder_;
};

TEST_F(StoredTest, events_are_read_over_broken_lines_which_are_counted) {
  write(folder_.events_file(), line_of(1, failed_worker()) + "\nnot json\n\n" + line_of(3, failed_worker()) +
                                   "\n{\"seq\":4,\"time\":\"2026-11");
  const auto stored = read_events(folder_);
  ASSERT_TRUE(stored);
  ASSERT_EQ(stored->events.size(), 2U);
  EXPECT_EQ(stored->events[1].seq, 3U);
  EXPECT_THAT(stored->lines, ElementsAre(line_of(1, failed_worker()), line_of(3, failed_worker())));
  EXPECT_EQ(stored->broken, 2);
}

TEST_F(StoredTest, events_that_another_master_wrote_again_are_there_once) {
  write(folder_.events_file(), line_of(1, failed_worker()) + "\n" + line_of(2, failed_worker()) + "\n" +
                                   line_of(2, failed_worker()) + "\n" + line_of(3, failed_worker()) + "\n");
  const auto stored = read_events(folder_);
  ASSERT_TRUE(stored);
  ASSERT_EQ(stored->events.size(), 3U);
  EXPECT_EQ(stored->lines.size(), 3U);
  EXPECT_EQ(stored->events[2].seq, 3U);
  EXPECT_EQ(stored->broken, 0);
}

TEST_F(StoredTest, a_job_without_events_is_an_error_with_the_file) {
  EXPECT_THAT(read_events(folder_).error().message, HasSubstr("events.jsonl"));
}

TEST_F(StoredTest, the_view_its_master_left_is_shown) {
  write(folder_.view_file(), kRunning);
  EXPECT_EQ(stored_job_view(folder_)->tasks.size(), 2U);
}

TEST_F(StoredTest, a_view_of_a_running_job_is_outdated_when_its_master_beside_the_client_is_gone) {
  write(folder_.view_file(), kRunning);
  write_state({core::JobState::running, 1, 0, "", "", 0, std::nullopt});
  {
    const auto lock = jobs::lock_job(folder_);
    EXPECT_EQ(stored_job_view(folder_)->state, core::JobState::running);
  }
  EXPECT_EQ(stored_job_view(folder_)->state, core::JobState::lost);
}

TEST_F(StoredTest, a_job_whose_master_beside_the_client_wrote_no_end_has_lost_its_tasks) {
  ASSERT_TRUE(jobs::lock_job(folder_));
  write_state({core::JobState::failed, 2, 1, "its master ended before the job did", "", 0, kTime});
  const auto view = stored_job_view(folder_);
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_EQ(view->state, core::JobState::failed);
  ASSERT_EQ(view->tasks.size(), 2U);
}

TEST_F(StoredTest, without_a_view_the_other_files_tell_how_it_ended) {
  write(folder_.view_file(), "{ half");
  write_state({core::JobState::failed, 1, 3, "worker:0 failed with exit code 3", "worker:0", 1, kTime});
  const auto view = stored_job_view(folder_);
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_EQ(view->id, "mnist-1");
  EXPECT_EQ(view->state, core::JobState::failed);
  EXPECT_EQ(view->exit_code, 3);
  EXPECT_EQ(view->reason, "worker:0 failed with exit code 3");
  EXPECT_EQ(view->finished, kTime);
  EXPECT_EQ(view->submitted, kTime);
}

TEST_F(StoredTest, a_job_that_never_ended_is_lost) {
  write_state({core::JobState::running, 1, 0, "", "", 0, std::nullopt});
  const auto view = stored_job_view(folder_);
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_EQ(view->state, core::JobState::lost);
  EXPECT_EQ(view->exit_code, 1);
  EXPECT_THAT(view->reason, HasSubstr("master.log may show the reason"));
}

TEST_F(StoredTest, what_the_master_of_a_lost_job_was_writing_is_removed) {
  write_state({core::JobState::running, 1, 0, "", "", 0, std::nullopt});
  ASSERT_TRUE(jobs::lock_job(folder_));
  const auto unfinished = folder_.root() / "view.json.03fa91c2.tmp";
  write(unfinished, "{ half");
  ASSERT_EQ(stored_job_view(folder_)->state, core::JobState::lost);
  EXPECT_FALSE(std::filesystem::exists(unfinished));
}

TEST_F(StoredTest, the_tasks_of_a_lost_job_are_those_of_its_events) {
  write_state({core::JobState::running, 2, 0, "", "", 0, std::nullopt});
  const auto record = [](job::RecordKind kind, int index, int attempt) {
    return job::Record{kind, core::AttemptId{{"worker", index}, attempt}, "why", {}, {}, 0};
  };
  write(folder_.events_file(), line_of(1, record(job::RecordKind::task_running, 0, 1)) + "\n" +
                                   line_of(2, record(job::RecordKind::task_failed, 0, 1)) + "\n" +
                                   line_of(3, record(job::RecordKind::task_running, 0, 2)) + "\n" +
                                   line_of(4, record(job::RecordKind::task_running, 1, 1)) + "\n" +
                                   line_of(5, record(job::RecordKind::task_succeeded, 1, 1)) + "\n");
  const auto view = stored_job_view(folder_);
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_EQ(view->state, core::JobState::lost);
  ASSERT_EQ(view->tasks.size(), 2U);
  EXPECT_EQ(view->tasks[0].state, core::TaskState::lost);
  EXPECT_EQ(view->tasks[0].attempt, 2);
  EXPECT_EQ(view->tasks[1].state, core::TaskState::succeeded);
  EXPECT_EQ(view->tasks[1].reason, "why");
}

TEST_F(StoredTest, a_job_without_its_state_is_an_error_that_names_the_file) {
  const auto view = stored_job_view(folder_);
  ASSERT_FALSE(view);
  EXPECT_THAT(view.error().message, HasSubstr("state.json"));
}

TEST_F(StoredTest, a_failure_shows_the_end_of_the_log_of_the_attempt_that_caused_it) {
  write_state({core::JobState::failed, 2, 3, "worker:1 failed with exit code 3", "worker:1", 2, kTime});
  write(folder_.events_file(), line_of(1, failed_worker()) + "\n");
  const auto logs = folder_.task_logs({{"worker", 1}, 2});
  write(logs / "stdout", "out\n");
  write(logs / "stderr", "Traceback\nValueError\n");
  const auto failure = failure_view(folder_);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->task, (core::TaskId{"worker", 1}));
  EXPECT_EQ(failure->attempt, 2);
  EXPECT_EQ(failure->sentence, "failed with exit code 3");
  EXPECT_THAT(failure->last_lines, ElementsAre("Traceback", "ValueError"));
  EXPECT_EQ(failure->log_path, (logs / "stderr").string());
  EXPECT_EQ(failure->more_command, "ydl logs mnist-1 worker:1");
}

TEST_F(StoredTest, a_failure_without_lines_on_stderr_shows_stdout) {
  write_state({core::JobState::failed, 2, 3, "worker:1 failed with exit code 3", "worker:1", 1, kTime});
  const auto logs = folder_.task_logs({{"worker", 1}, 1});
  write(logs / "stdout", "out\n");
  write(logs / "stderr", "");
  const auto failure = failure_view(folder_);
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->last_lines, ElementsAre("out"));
  EXPECT_EQ(failure->log_path, (logs / "stdout").string());
  EXPECT_EQ(failure->sentence, "worker:1 failed with exit code 3") << "no event tells it, so the job's reason does";
}

TEST_F(StoredTest, a_failure_without_logs_still_says_where_they_would_be) {
  write_state({core::JobState::failed, 2, 127, "worker:1 could not start", "worker:1", 1, kTime});
  const auto failure = failure_view(folder_);
  ASSERT_TRUE(failure);
  EXPECT_TRUE(failure->last_lines.empty());
  EXPECT_THAT(failure->log_path, HasSubstr("worker-1/1/stderr"));
}

TEST_F(StoredTest, a_job_that_no_task_failed_has_no_failure) {
  EXPECT_FALSE(failure_view(folder_)) << "no state";
  write_state({core::JobState::succeeded, 2, 0, "", "", 0, kTime});
  EXPECT_FALSE(failure_view(folder_));
  write_state({core::JobState::failed, 2, 1, "", "nonsense", 0, kTime});
  EXPECT_FALSE(failure_view(folder_));
}

}  // namespace
}  // namespace ydl::client

#include "ui/json.hpp"

#include "samples.hpp"

#include <gtest/gtest.h>

namespace ydl::ui {
namespace {

using namespace test;

TEST(JsonDisplay, the_job_is_written_whole_at_first_and_when_its_state_changes) {
  JsonDisplay display;
  auto job = mnist("placing");
  job.tasks.resize(1);
  job.tasks[0].progress = 0.42;
  job.tasks[0].progress_text = "epoch 3/5";
  job.tasks[0].left = core::Seconds(60);
  job.tasks[0].cpu_percent = 97;
  job.tasks[0].memory_bytes = 1'181'116'006;
  job.tasks[0].memory_limit = 2'147'483'648;
  job.tasks[0].quiet = core::Seconds(48);
  job.tasks[0].last_line = "loss 0.1";
  job.progress = 0.4;
  job.left = core::Seconds(90);
  EXPECT_EQ(
      display.begin(job, frame_at(0)),
      R"({"v":1,"type":"job","job":"mnist-7f3k","name":"mnist","framework":"mxnet","cluster":"local",)"
      R"("state":"placing","reason":"","submitted":"2026-11-15T03:13:20.000Z","finished":null,)"
      R"("percent":40,"left_ms":90000,"tasks":[)"
      R"({"task":"worker:0","attempt":1,"state":"running","node":"host1","reason":"",)"
      R"("running_since":"2026-11-15T03:13:22.000Z","ran_for_ms":null,"percent":42,"progress_text":"epoch 3/5",)"
      R"("left_ms":60000,"cpu_percent":97,"memory_bytes":1181116006,"memory_limit_bytes":2147483648,)"
      R"("quiet_ms":48000,"last_line":"loss 0.1"}],"avoided":[]})"
      "\n"
      R"({"v":1,"type":"progress","job":"mnist-7f3k","task":"worker:0","attempt":1,"percent":42,"text":"epoch 3/5",)"
      R"("left_ms":60000})"
      "\n");
  EXPECT_EQ(display.update(job, frame_at(5000)), "");
  job.state = core::JobState::running;
  EXPECT_TRUE(display.update(job, frame_at(6000)).starts_with(R"({"v":1,"type":"job",)"));
}

TEST(JsonDisplay, a_cluster_has_the_name_that_the_command_line_takes) {
  auto job = mnist();
  job.where = "YARN";
  EXPECT_NE(json_job_line(job).find(R"("cluster":"yarn")"), std::string::npos);
  job.where = "moon";
  EXPECT_NE(json_job_line(job).find(R"("cluster":"moon")"), std::string::npos) << "of a newer master";
}

TEST(JsonTimeline, each_attempt_is_a_line_with_the_times_of_its_phases) {
  const auto event = [](std::string_view kind, std::string_view time, std::optional<core::TaskId> task = std::nullopt) {
    EventView view;
    view.time = wall(time);
    view.kind = core::Named<core::RecordKind>::parse(kind);
    view.task = std::move(task);
    return view;
  };
  const core::TaskId worker{"worker", 0};
  const std::vector<EventView> events{
      event("job_placing", "03:13:20.000"), event("task_placed", "03:13:21.000", worker),
      event("task_running", "03:13:22.000", worker), event("task_succeeded", "03:13:30.000", worker)};
  EXPECT_EQ(
      json_timeline(events, "mnist-7f3k"),
      R"({"v":1,"type":"attempt","job":"mnist-7f3k","task":"worker:0","attempt":1,"asked":"2026-11-15T03:13:20.000Z",)"
      R"("granted":null,"reached":null,"placed":"2026-11-15T03:13:21.000Z","starting":"2026-11-15T03:13:21.000Z",)"
      R"("running":"2026-11-15T03:13:22.000Z","ended":"2026-11-15T03:13:30.000Z","end":"succeeded"})"
      "\n");
  EXPECT_EQ(json_timeline({}, "mnist-7f3k"), "");
}

TEST(JsonErrors, an_error_is_one_line_whatever_its_text_is) {
  EXPECT_EQ(json_error_line("no such file: a\"b", 2),
            R"({"v":1,"type":"error","text":"no such file: a\"b","exit_code":2})"
            "\n");
}

TEST(JsonDisplay, avoided_hosts_are_part_of_the_job) {
  auto job = mnist();
  job.avoided = {{"node2", wall("04:10:00.000"), "2 containers lost"},
                 {"node3", std::nullopt, "worker:1 ended with code 1"}};
  EXPECT_TRUE(json_job_line(job).ends_with(
      R"("avoided":[{"node":"node2","until":"2026-11-15T04:10:00.000Z","reason":"2 containers lost"},)"
      R"({"node":"node3","until":null,"reason":"worker:1 ended with code 1"}]})"
      "\n"));
}

TEST(JsonDisplay, the_commands_are_part_of_the_job_where_they_are_known) {
  auto job = mnist();
  job.queue = "ml";
  job.commands = {{"worker", {"python", "train.py"}}};
  EXPECT_TRUE(json_job_line(job).ends_with(
      R"("avoided":[],"queue":"ml","commands":[{"role":"worker","words":["python","train.py"]}]})"
      "\n"));
}

TEST(JsonDisplay, a_notice_is_part_of_the_job_while_there_is_one) {
  auto job = mnist();
  EXPECT_EQ(json_job_line(job).find("notice"), std::string::npos);
  job.notice = "HDFS does not answer";
  EXPECT_TRUE(json_job_line(job).ends_with(R"("avoided":[],"notice":"HDFS does not answer"})"
                                           "\n"));
}

TEST(JsonDisplay, progress_is_written_at_most_once_a_second_but_its_end_always) {
  JsonDisplay display;
  auto job = mnist();
  (void)display.begin(job, frame_at(0));
  const auto report = [&](double progress, long millis) {
    job.tasks[0].progress = progress;
    return display.update(job, frame_at(millis));
  };
  EXPECT_NE(report(0.01, 100), "");
  EXPECT_EQ(report(0.02, 900), "");
  EXPECT_NE(report(0.02, 1100), "");
  EXPECT_EQ(report(0.025, 5000), "");
  EXPECT_NE(report(1.0, 5001), "");
}

TEST(JsonDisplay, metrics_are_written_at_most_once_a_second_but_the_last_ones_always) {
  JsonDisplay display;
  auto job = mnist();
  (void)display.begin(job, frame_at(0));
  const auto report = [&](double loss, long millis) {
    job.tasks[0].metrics = core::Metrics{10, {{"acc", std::nullopt}, {"loss", loss}}};
    return display.update(job, frame_at(millis));
  };
  EXPECT_EQ(report(0.5, 1000), R"({"v":1,"type":"metric","job":"mnist-7f3k","task":"worker:0","attempt":1,"step":10,)"
                               R"("values":{"acc":null,"loss":5E-1}})"
                               "\n");
  EXPECT_EQ(report(0.5, 3000), "") << "nothing new";
  EXPECT_NE(report(0.25, 4000), "");
  EXPECT_EQ(report(0.125, 4500), "");
  job.state = core::JobState::succeeded;
  EXPECT_NE(display.update(job, frame_at(4600)).find(R"("loss":1.25E-1)"), std::string::npos);
  EXPECT_NE(json_job_line(job).find(R"("metrics":{"step":10,"values":{"acc":null,"loss":1.25E-1}})"),
            std::string::npos);
}

TEST(JsonDisplay, events_of_tasks_and_of_the_job) {
  JsonDisplay display;
  (void)display.begin(mnist(), frame_at(0));
  EXPECT_EQ(
      display.event(event(7, "task_failed", "ended with code 3"), frame_at(0)),
      R"({"v":1,"type":"event","job":"mnist-7f3k","seq":7,"time":"2026-11-15T03:13:28.000Z","kind":"task_failed",)"
      R"("task":"worker:0","attempt":1,"text":"ended with code 3"})"
      "\n");
  auto with_cause = event(8, "task_failed", "ended with code 3");
  with_cause.cause = "exit_code";
  EXPECT_NE(display.event(with_cause, frame_at(0)).find(R"("text":"ended with code 3","cause":"exit_code"})"),
            std::string::npos);
  auto of_job = event(9, "job_failed", "it \"failed\"");
  of_job.task.reset();
  EXPECT_EQ(display.event(of_job, frame_at(0)),
            R"({"v":1,"type":"event","job":"mnist-7f3k","seq":9,"time":"2026-11-15T03:13:28.000Z","kind":"job_failed",)"
            R"("task":null,"attempt":null,"text":"it \"failed\""})"
            "\n");
}

TEST(JsonDisplay, log_lines_are_valid_utf8_whatever_the_task_wrote) {
  JsonDisplay display;
  (void)display.begin(mnist(), frame_at(0));
  EXPECT_EQ(
      display.log({{"worker", 0}, "stderr", "a\tb \xff \\ \x01"}, frame_at(0)),
      "{\"v\":1,\"type\":\"log\",\"job\":\"mnist-7f3k\",\"task\":\"worker:0\",\"stream\":\"stderr\",\"time\":null,"
      "\"text\":\"a\\tb \uFFFD \\\\ \"}\n");
}

TEST(JsonDisplay, a_failure_and_the_result) {
  JsonDisplay display;
  auto job = mnist("failed");
  (void)display.begin(job, frame_at(0));
  EXPECT_EQ(display.failure(bad_data_dir(), frame_at(0)),
            R"({"v":1,"type":"failure","job":"mnist-7f3k","task":"worker:1","attempt":1,"node":"host2",)"
            R"json("text":"ended with code 3","last_lines":["Traceback (most recent call last):","\tmain()",)json"
            R"("ValueError: no such directory: 数据"],"log_path":"/jobs/mnist-7f3k/worker-1.stderr",)"
            R"("more_command":"ydl logs mnist-7f3k worker:1"})"
            "\n");
  job.exit_code = 3;
  job.reason = "worker:1 ended with code 3";
  job.finished = wall("03:14:01.000");
  job.logs_path = "/jobs/mnist-7f3k/logs";
  EXPECT_EQ(display.finish(job, frame_at(90'000)),
            R"({"v":1,"type":"result","job":"mnist-7f3k","state":"failed","exit_code":3,)"
            R"("reason":"worker:1 ended with code 3","elapsed_ms":41000,"results_path":"",)"
            R"("logs_path":"/jobs/mnist-7f3k/logs"})"
            "\n");
}

TEST(JsonDisplay, the_result_of_a_job_that_is_left_has_no_exit_code) {
  JsonDisplay display;
  (void)display.begin(mnist(), frame_at(0));
  EXPECT_EQ(display.finish(mnist(), frame_at(12'000)),
            R"({"v":1,"type":"result","job":"mnist-7f3k","state":"running","exit_code":null,"reason":"",)"
            R"("elapsed_ms":12000,"results_path":"","logs_path":""})"
            "\n");
}

}  // namespace
}  // namespace ydl::ui

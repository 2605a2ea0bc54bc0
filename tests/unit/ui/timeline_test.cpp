#include "ui/timeline.hpp"

#include "samples.hpp"

#include <gtest/gtest.h>

namespace ydl::ui {
namespace {

using test::wall;

EventView at(std::string_view clock, std::string_view kind, std::optional<int> worker = std::nullopt, int attempt = 1) {
  EventView event;
  event.time = wall(clock);
  event.kind = core::Named<core::RecordKind>::parse(kind);
  if (worker) event.task = core::TaskId{"worker", *worker};
  event.attempt = attempt;
  return event;
}

std::vector<EventView> two_workers_one_retried() {
  return {
      at("03:00:00.000", "job_placing"),         at("03:00:01.000", "task_placed", 0),
      at("03:00:04.000", "task_placed", 1),      at("03:00:04.000", "task_starting", 0),
      at("03:00:04.000", "task_starting", 1),    at("03:00:05.000", "task_running", 0),
      at("03:00:05.500", "task_running", 1),     at("03:00:10.000", "task_failed", 1),
      at("03:00:10.000", "task_retry", 1),       at("03:00:12.000", "task_placed", 1, 2),
      at("03:00:12.000", "task_starting", 1, 2), at("03:00:13.000", "task_running", 1, 2),
      at("03:00:20.000", "task_succeeded", 0),
  };
}

TEST(Timeline, phases_are_measured_per_attempt) {
  EXPECT_EQ(render_timeline(two_workers_one_retried(), wall("03:00:20.000"), 80, {}),
            "TASK         PLACING  PEERS  STARTING  RUNNING  END        0                20 s\n"
            "worker:0         1 s    3 s       1 s     15 s  succeeded  .:::=################\n"
            "worker:1         4 s   0 ms     1.5 s    4.5 s  failed     ....=#####\n"
            "worker:1 #2      2 s   0 ms       1 s      7 s  -                    ..=########\n"
            ". placing  : waiting for its peers  = starting  # running\n");
}

TEST(Timeline, on_a_cluster_the_way_to_a_container_is_shown) {
  const std::vector<EventView> events{at("03:00:00.000", "job_created"),     at("03:00:00.500", "job_submitted"),
                                      at("03:00:02.000", "job_master_up"),   at("03:00:02.500", "job_placing"),
                                      at("03:00:04.000", "task_granted", 0), at("03:00:06.000", "task_reached", 0),
                                      at("03:00:07.000", "task_placed", 0),  at("03:00:07.000", "task_starting", 0),
                                      at("03:00:08.000", "task_running", 0), at("03:00:20.000", "task_succeeded", 0)};
  EXPECT_EQ(render_timeline(events, wall("03:00:20.000"), 100, {}),
            "submitted after 500 ms, master up after 2 s, containers asked for after 2.5 s\n"
            "TASK      PLACING  CONTAINER  PREPARING  PEERS  STARTING  RUNNING  END        0                 20 s\n"
            "worker:0    1.5 s        2 s        1 s   0 ms       1 s     12 s  succeeded    ..,,-=##############\n"
            ". placing  , container on its way  - preparing  : waiting for its peers  = starting  # running\n");
}

TEST(Timeline, without_an_event_of_starting_it_begins_when_the_last_peer_is_placed) {
  auto events = two_workers_one_retried();
  const auto told = render_timeline(events, wall("03:00:20.000"), 80, {});
  std::erase_if(events, [](const EventView& event) { return event.kind == core::RecordKind::task_starting; });
  EXPECT_EQ(render_timeline(events, wall("03:00:20.000"), 80, {}), told);
}

TEST(Timeline, a_narrow_screen_shows_the_numbers_alone) {
  const auto text = render_timeline(two_workers_one_retried(), wall("03:00:20.000"), 40, {});
  EXPECT_EQ(text,
            "TASK         PLACING  PEERS  STARTING  …\n"
            "worker:0         1 s    3 s       1 s  …\n"
            "worker:1         4 s   0 ms     1.5 s  …\n"
            "worker:1 #2      2 s   0 ms       1 s  …\n");
}

TEST(Timeline, a_task_that_waits_still_is_placing_until_now) {
  const std::vector<EventView> events{at("03:00:00.000", "job_placing"), at("03:00:02.000", "task_waiting", 0)};
  const auto text = render_timeline(events, wall("03:00:30.000"), 80, {});
  EXPECT_NE(text.find("worker:0     30 s      -         -        -  -    ....."), std::string::npos) << text;
}

TEST(Timeline, events_without_their_beginning_and_clocks_that_jump_back_do_no_harm) {
  const std::vector<EventView> events{at("03:00:10.000", "task_running", 0), at("03:00:05.000", "task_failed", 0)};
  const auto times = attempt_times(events);
  ASSERT_EQ(times.size(), 1U);
  EXPECT_EQ(times[0].asked, wall("03:00:10.000"));
  EXPECT_EQ(times[0].end, core::TaskState::failed);
  EXPECT_NE(render_timeline(events, wall("03:00:00.000"), 80, {}).find("worker:0"), std::string::npos);
}

TEST(Timeline, a_restarted_job_asks_again_for_every_task) {
  const std::vector<EventView> events{at("03:00:00.000", "job_placing"), at("03:00:01.000", "task_placed", 0),
                                      at("03:00:08.000", "job_restarting"), at("03:00:09.000", "task_placed", 0, 2)};
  const auto times = attempt_times(events);
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[1].attempt.attempt, 2);
  EXPECT_EQ(times[1].asked, wall("03:00:08.000"));
}

TEST(Timeline, without_tasks_it_prints_a_sentence) {
  EXPECT_EQ(render_timeline({}, wall("03:00:00.000"), 80, {}), "no task has been placed yet\n");
}

}  // namespace
}  // namespace ydl::ui

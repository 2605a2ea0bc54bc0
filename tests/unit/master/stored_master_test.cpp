// A master whose job another one could take over: what it does while its journal is not written.
#include "backend/fake/fake.hpp"
#include "core/json.hpp"
#include "jobs/job_view.hpp"
#include "master/master.hpp"
#include "support/loop.hpp"
#include "support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace ydl::master {
namespace {

using backend::FakeBackend;
using backend::FakeTask;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

struct Lines final : EventStore {
  std::vector<job::TimedEvent> events;
  void add(std::string line) override {
    auto event = job::decode_event(line);
    if (!event) throw std::runtime_error(event.error().message);
    events.push_back(*std::move(event));
  }
};

class StoredMaster : public testing::Test {
 protected:
  StoredMaster() { make({}); }
  void make(const FakeBackend::Script& script, std::vector<job::TimedEvent> earlier = {}, int retries = 0) {
    master_ = made(script, std::move(earlier), retries);
  }
  std::unique_ptr<Master> made(const FakeBackend::Script& script, std::vector<job::TimedEvent> earlier,
                               int retries = 0) {
    jobs::JobFile file;
    file.id = {"stored-0001"};
    file.created = core::wall_now();
    file.results = temporary_.path() / "results";
    file.spec.name = "stored";
    file.spec.command = {"train"};
    file.spec.roles.resize(1);
    file.spec.roles[0].name = "worker";
    file.spec.roles[0].count = 2;
    file.spec.retries = retries;
    file.spec.stop_grace = core::Millis(50);
    const auto plan = make_plan(file.spec);
    MasterSettings settings{.make_backend = [&](backend::Sink sink) {
      auto fake =
          std::make_unique<FakeBackend>(loop_.executor(), std::move(sink), script, FakeTask{.never_ends = true});
      fake_ = fake.get();
      return fake;
    }};
    settings.store = &store_;
    settings.earlier = std::move(earlier);
    return std::make_unique<Master>(loop_.executor(), jobs::JobFolder(temporary_.path()), file, *plan, settings);
  }
  void TearDown() override {
    if (begun_ && !ended_) {
      writes_ = true;
      master_->request_stop("the end of the test", core::Millis(0));
      EXPECT_TRUE(until([&] { return ended_; }));
    }
    loop_.settle();  // a timer that is due would find no master
    master_.reset();
    loop_.settle();
  }

  void begin() {
    begun_ = true;
    net::asio::co_spawn(loop_.executor(), master_->run(), [this](const std::exception_ptr&, job::Outcome outcome) {
      outcome_ = std::move(outcome);
      ended_ = true;
    });
  }
  // HDFS takes what the master has told.
  void write_all() { master_->events_written(store_.events.size()); }
  // Whether it becomes true while HDFS takes everything.
  template <class Condition>
  bool until(Condition condition) {
    return loop_.until([&] {
      if (writes_) write_all();
      return condition();
    });
  }
  void begin_and_run() {
    begin();
    ASSERT_TRUE(until([&] { return view().state == job::JobState::running; }));
    writes_ = false;
  }
  void go_away() {
    writes_ = false;
    master_->store_is_away("the NameNode does not answer");
  }
  void come_back() {
    writes_ = true;
    write_all();
    master_->store_caught_up();
  }
  template <class Event>
  bool was_told() const {
    return std::ranges::any_of(store_.events, [](const auto& one) { return std::holds_alternative<Event>(one.event); });
  }
  jobs::JobView view() const { return jobs::job_view_from_json(*core::parse_json_object(master_->job_view())).value(); }
  std::string notice() const { return view().notice.value_or(""); }
  // What followers are shown.
  std::vector<std::string> shown() const { return shown_by(*master_); }
  static std::vector<std::string> shown_by(Master& master) {
    std::vector<std::string> texts;
    for (std::uint64_t seq = 1; seq <= master.journal().last(); ++seq) {
      const auto object = core::parse_json_object(master.journal().line(seq));
      texts.emplace_back(object->at("text").as_string());
    }
    return texts;
  }

  test::TempDir temporary_;
  test::Loop loop_;
  Lines store_;
  FakeBackend* fake_ = nullptr;
  std::unique_ptr<Master> master_;
  job::Outcome outcome_;
  bool begun_ = false;
  bool ended_ = false;
  bool writes_ = true;
};

TEST_F(StoredMaster, followers_are_shown_only_what_another_master_would_replay) {
  begin_and_run();
  go_away();
  const auto before = shown();
  master_->note("something happened");
  loop_.settle();
  EXPECT_EQ(shown(), before);
  EXPECT_THAT(notice(), HasSubstr("the NameNode does not answer"));

  come_back();
  EXPECT_TRUE(until([&] { return shown().size() > before.size(); }));
  EXPECT_EQ(shown()[before.size()], "something happened");
  EXPECT_EQ(notice(), "");
}

TEST_F(StoredMaster, the_next_master_gives_the_same_numbers_to_what_was_shown) {
  begin_and_run();
  const auto written = store_.events;
  go_away();
  master_->note("this is not written");
  loop_.settle();
  const auto next = made({}, written);
  EXPECT_EQ(shown_by(*next), shown());
}

TEST_F(StoredMaster, how_long_the_journal_was_not_written_is_told_afterwards) {
  begin_and_run();
  go_away();
  come_back();
  EXPECT_TRUE(until([&] {
    return !shown().empty() && shown().back().contains("could not be written for") &&
           shown().back().contains("NameNode");
  }));
}

TEST_F(StoredMaster, a_job_that_ends_while_its_end_cannot_be_stored_or_reported_continues_until_it_can) {
  make({{"worker:0", {.run_for = core::Millis(1)}}, {"worker:1", {.run_for = core::Millis(1)}}});
  begin();
  ASSERT_TRUE(until([&] { return was_told<job::Started>(); }));
  go_away();
  master_->scheduler_is_silent();
  ASSERT_TRUE(until([&] {
    return std::ranges::count_if(store_.events,
                                 [](const auto& one) { return std::holds_alternative<job::Exited>(one.event); }) == 2;
  }));
  loop_.settle();
  EXPECT_FALSE(ended_);
  EXPECT_FALSE(master_->finished());
  EXPECT_EQ(fake_->places_held(), 2U) << "the agents keep what the next master needs to know";
  come_back();
  EXPECT_TRUE(until([&] { return ended_; }));
  EXPECT_EQ(outcome_.state, job::JobState::succeeded);
  EXPECT_TRUE(master_->end_is_written());
}

TEST_F(StoredMaster, a_job_that_ends_while_the_scheduler_answers_does_not_wait_and_records_that_its_end_is_not_stored) {
  begin_and_run();
  go_away();
  master_->request_stop("ann", core::Millis(0));
  EXPECT_TRUE(until([&] { return ended_; }));
  EXPECT_EQ(outcome_.state, job::JobState::stopped);
  EXPECT_FALSE(master_->end_is_written());
  write_all();
  EXPECT_TRUE(master_->end_is_written());
}

TEST_F(StoredMaster, a_stop_reaches_the_tasks_although_it_cannot_be_stored) {
  begin_and_run();
  go_away();
  master_->scheduler_is_silent();
  master_->request_stop("ann", core::Millis(0));
  EXPECT_TRUE(until([&] { return fake_->tasks_running() == 0; }));
  loop_.settle();
  EXPECT_FALSE(ended_);
  master_->scheduler_answers();
  EXPECT_TRUE(until([&] { return ended_; }));
}

TEST_F(StoredMaster, a_journal_that_cannot_be_written_for_good_holds_nothing_up) {
  begin_and_run();
  master_->store_is_broken("the quota is exceeded; make room there");
  EXPECT_TRUE(
      until([&] { return !shown().empty() && shown().back().contains("no other master can take over the job"); }));
  EXPECT_THAT(notice(), HasSubstr("the quota is exceeded; make room there"));
  master_->note("something happened");
  EXPECT_TRUE(until([&] { return shown().back() == "something happened"; }));
}

TEST_F(StoredMaster, it_ends_the_job_when_a_task_has_to_be_started) {
  make({{"worker:1", {.run_for = core::Millis(20), .exit_code = 3}}}, {}, 2);
  begin_and_run();
  master_->store_is_broken("the quota is exceeded; make room there");
  ASSERT_TRUE(until([&] { return ended_; }));
  EXPECT_EQ(outcome_.state, job::JobState::failed);
  EXPECT_THAT(outcome_.reason, HasSubstr("worker:1 must be started"));
  EXPECT_THAT(outcome_.reason, HasSubstr("the quota is exceeded; make room there"));
  EXPECT_EQ(fake_->places_held(), 0U);
}

TEST_F(StoredMaster, a_launch_that_was_not_written_is_never_done) {
  begin();
  ASSERT_TRUE(loop_.until([&] {
    const auto placed = std::ranges::count_if(
        store_.events, [](const auto& one) { return std::holds_alternative<job::Placed>(one.event); });
    if (placed < 2) write_all();
    return placed == 2;
  }));
  go_away();
  master_->request_stop("ann", core::Millis(0));
  writes_ = false;
  EXPECT_TRUE(until([&] { return ended_; }));
  EXPECT_FALSE(was_told<job::Started>());
  EXPECT_EQ(outcome_.state, job::JobState::stopped);
}

// What e679fdc mended.
TEST_F(StoredMaster, a_journal_without_a_beginning_begins_the_job) {
  make({}, {{core::Millis(5), job::Noted{job::RecordKind::job_created, {}, "created", core::wall_now()}}});
  begin_and_run();
  EXPECT_TRUE(was_told<job::Begin>());
  EXPECT_FALSE(was_told<job::TookOver>());
}

TEST_F(StoredMaster, deadlines_do_not_count_while_decisions_wait) {
  begin_and_run();
  go_away();
  come_back();
  EXPECT_TRUE(until([&] { return was_told<job::Delayed>(); }));
}

TEST_F(StoredMaster, a_master_that_leaves_touches_nothing) {
  begin_and_run();
  master_->leave("signal 15");
  EXPECT_TRUE(until([&] { return ended_; }));
  EXPECT_TRUE(master_->has_left());
  EXPECT_EQ(fake_->tasks_running(), 2U);
  EXPECT_EQ(fake_->places_held(), 2U);
  const auto told = store_.events.size();
  master_->note("too late");
  EXPECT_EQ(store_.events.size(), told);
}

}  // namespace
}  // namespace ydl::master

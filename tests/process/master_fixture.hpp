#pragma once

#include "backend/fake/fake.hpp"
#include "client/views.hpp"
#include "jobs/job_folder.hpp"
#include "master/master.hpp"
#include "master/plan.hpp"
#include "support/loop.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace ydl::master {

// A master over the fake backend: a script, a job, its folder.
class MasterTest : public testing::Test {
 protected:
  using Script = backend::FakeBackend::Script;

  static spec::JobSpec job(int workers) {
    spec::JobSpec spec;
    spec.name = "story";
    spec.command = {"./train"};
    spec.roles.resize(1);
    spec.roles[0].name = "worker";
    spec.roles[0].count = workers;
    spec.stop_grace = core::Millis(50);
    return spec;
  }

  Master& make(const spec::JobSpec& spec, Script script = {}, backend::FakeTask otherwise = {}) {
    return make_with(spec, [&](backend::Sink sink) {
      auto fake = std::make_unique<backend::FakeBackend>(loop_.executor(), std::move(sink), std::move(script),
                                                         std::move(otherwise));
      fake_ = fake.get();
      return fake;
    });
  }
  Master& make_with(const spec::JobSpec& spec,
                    const std::function<std::unique_ptr<backend::Backend>(backend::Sink)>& make_backend) {
    jobs::JobFile file;
    file.id = folder_.id();
    file.created = core::wall_now();
    file.user = "ann";
    file.cluster = cluster_;
    file.results = folder_.default_results();
    file.spec = spec;
    auto plan = make_plan(spec);
    if (!plan) throw std::runtime_error(plan.error().message);
    master_ = std::make_unique<Master>(loop_.executor(), folder_, std::move(file), *std::move(plan),
                                       MasterSettings{.make_backend = make_backend, .logs = logs_elsewhere_});
    return *master_;
  }
  void TearDown() override {
    if (begun_ && !finished_) {
      master_->request_stop("the end of the test", core::Millis(0));
      finish();
    }
    if (fake_ != nullptr && finished_) {
      loop_.settle();
      EXPECT_EQ(fake_->places_held(), 0U) << "attempts that were not released";
      EXPECT_EQ(fake_->tasks_running(), 0U) << "tasks leak";
    }
    loop_.settle();  // a timer that is due would find no master
    master_.reset();
    loop_.settle();
  }

  // Begins the job; the outcome is there once it has ended.
  void begin() {
    begun_ = true;
    net::asio::co_spawn(loop_.executor(), master_->run(), [this](const std::exception_ptr&, job::Outcome outcome) {
      outcome_ = std::move(outcome);
      finished_ = true;
    });
  }
  job::Outcome finish() {
    EXPECT_TRUE(loop_.until([&] { return finished_; })) << "the job does not end; it is " << view().state.name();
    return outcome_;
  }
  job::Outcome run() {
    begin();
    return finish();
  }
  void begin_and_run() {
    begin();
    ASSERT_TRUE(loop_.until([&] { return view().state == job::JobState::running; })) << view().state.name();
  }

  // The job as a client sees it.
  ui::JobView view() const {
    auto view = client::job_view_from_json(master_->job_view());
    if (!view) ADD_FAILURE() << view.error().message;
    return view.value_or(ui::JobView{});
  }
  // The events on disk, as "kind task#attempt".
  std::vector<std::string> events() const {
    const auto stored = client::read_events(folder_);
    if (!stored) return {stored.error().message};
    EXPECT_EQ(stored->broken, 0);
    std::vector<std::string> kinds;
    for (const auto& event : stored->events) {
      EXPECT_EQ(event.seq, kinds.size() + 1);
      kinds.push_back(std::string(event.kind.name()) +
                      (event.task ? " " + event.task->str() + "#" + std::to_string(event.attempt) : std::string()));
    }
    return kinds;
  }
  jobs::StateFile state_on_disk() const {
    const auto state = jobs::read_state_file(folder_);
    if (!state) ADD_FAILURE() << state.error().message;
    return state.value_or(jobs::StateFile{});
  }

  test::TempDir dir_;
  test::Loop loop_;
  jobs::JobFolder folder_ = *jobs::create_job_folder(dir_.path() / "jobs", "story");
  core::ClusterKind cluster_ = core::ClusterKind::local;
  std::string logs_elsewhere_;  // as on a cluster
  std::unique_ptr<Master> master_;
  backend::FakeBackend* fake_ = nullptr;
  job::Outcome outcome_;
  bool begun_ = false;
  bool finished_ = false;
};

}  // namespace ydl::master

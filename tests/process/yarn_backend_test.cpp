// The YARN backend against a ResourceManager and a NodeManager that speak the real protocol and fail as they are told.
#include "backend/yarn/yarn_backend.hpp"

#include "hdfs/configured.hpp"
#include "support/imposter_yarn.hpp"
#include "support/loop.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::backend {
namespace {

using test::Fate;
using test::HollowTask;
using test::ImposterYarn;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

core::AttemptId worker(int index) {
  return {{"worker", index}, 1};
}

// A backend on a cluster of its own.
class Cluster {
 public:
  explicit Cluster(HollowTask task = {})
      : yarn(loop.executor(), hub, [task](const core::AttemptId&) { return task; }),
        backend(loop.executor(), hub,
                {[this](job::Event event) { events.push_back(std::move(event)); }, [](const protocol::TaskOutput&) {},
                 [this](std::string note) { notes.push_back(std::move(note)); }, [] { return 0.25; }},
                options()) {}

  YarnOptions options() {
    YarnOptions made;
    made.job.user = "ann";
    made.job.queue = "default";
    made.job.folder = "/jobs/x";
    made.job.results = "/jobs/x/results";
    made.job.nodes = {yarn.node()};
    made.config = yarn.config();
    made.token.kind = yarn::kAmRmToken;
    made.roles = {{.name = "worker", .resource = {.memory_mib = 1024, .vcores = 1}}};
    made.acl = {.view = "bob", .modify = " ops"};
    made.address = "127.0.0.1";
    made.port = 9;
    made.reconnect_pause = core::Millis(10);
    made.before_finish = [this]() -> net::awaitable<void> {
      copied_records = true;
      co_return;
    };
    made.end_is_kept = [this] { return end_is_kept; };
    const auto service = hconf::default_name_service(made.config).value();
    made.fs = std::make_shared<hdfs::FileSystem>(loop.executor(),
                                                 hdfs::configured(made.config, service, {.user = "ann"}).value());
    return made;
  }

  template <class Event>
  const Event* told(const core::AttemptId& attempt) const {
    const Event* found = nullptr;
    for (const auto& event : events) {
      const auto* wanted = std::get_if<Event>(&event);
      if (wanted != nullptr && wanted->attempt == attempt) found = wanted;
    }
    return found;
  }
  template <class Event>
  [[nodiscard]] bool hears(const core::AttemptId& attempt) {
    return loop.until([&] { return told<Event>(attempt) != nullptr; });
  }
  [[nodiscard]] bool start(int index) {
    backend.place({.attempt = worker(index), .ports = 1});
    if (!hears<job::Placed>(worker(index))) return false;
    backend.launch({worker(index), {"train"}, {}});
    return hears<job::Started>(worker(index));
  }
  void close(job::JobState state = job::JobState::succeeded) { loop.run(backend.close({state, 0, "", {}})); }
  [[nodiscard]] int calls(const std::string& method) const {
    return static_cast<int>(std::ranges::count(yarn.calls(), method));
  }

  test::Loop loop;
  protocol::Hub hub{loop.executor()};
  std::vector<job::Event> events;
  std::vector<std::string> notes;
  bool copied_records = false;
  bool end_is_kept = true;
  ImposterYarn yarn;
  YarnBackend backend;
};

TEST(YarnBackend, runs_a_job_and_tells_the_resource_manager_of_its_end) {
  Cluster cluster;
  ASSERT_TRUE(cluster.loop.run(cluster.backend.open()));
  ASSERT_TRUE(cluster.start(0));
  ASSERT_TRUE(cluster.hears<job::Exited>(worker(0)));
  cluster.close();
  EXPECT_TRUE(cluster.copied_records);
  EXPECT_TRUE(cluster.yarn.is_finished());
  EXPECT_FLOAT_EQ(cluster.yarn.progress(), 0.25F);
}

TEST(YarnBackend, containers_have_the_acls_of_the_job) {
  Cluster cluster({.never_ends = true});
  ASSERT_TRUE(cluster.loop.run(cluster.backend.open()));
  ASSERT_TRUE(cluster.start(0));
  ASSERT_EQ(cluster.yarn.launches().size(), 1U);
  const auto& acls = cluster.yarn.launches().begin()->second.application_acls();
  ASSERT_EQ(acls.size(), 2);
  EXPECT_EQ(acls[0].accesstype(), hadoop::yarn::APPACCESS_VIEW_APP);
  EXPECT_EQ(acls[0].acl(), "bob");
  EXPECT_EQ(acls[1].accesstype(), hadoop::yarn::APPACCESS_MODIFY_APP);
  EXPECT_EQ(acls[1].acl(), " ops");
  cluster.close();
}

TEST(YarnBackend, a_resource_manager_that_restarts_and_fails_again_is_registered_with_once_more) {
  Cluster cluster({.never_ends = true});
  ASSERT_TRUE(cluster.loop.run(cluster.backend.open()));
  ASSERT_TRUE(cluster.start(0));
  int refused = 0;
  cluster.yarn.set_trouble([&](const std::string& method, int) {
    return method == "registerApplicationMaster" && refused++ < 2 ? Fate::refused : Fate::served;
  });
  cluster.yarn.restart_resource_manager();
  cluster.backend.place({.attempt = worker(1), .ports = 1});
  EXPECT_TRUE(cluster.hears<job::Placed>(worker(1)));
  EXPECT_EQ(cluster.calls("registerApplicationMaster"), 4);
  EXPECT_EQ(cluster.told<job::Lost>(worker(0)), nullptr);
  cluster.close();
}

TEST(YarnBackend, a_resource_manager_that_restarted_before_the_end_is_told_of_it_all_the_same) {
  Cluster cluster;
  ASSERT_TRUE(cluster.loop.run(cluster.backend.open()));
  cluster.yarn.restart_resource_manager();
  cluster.close();
  EXPECT_TRUE(cluster.yarn.is_finished());
}

// Its records cannot be copied either then, and another master would run the job again.
TEST(YarnBackend, an_end_that_only_this_master_knows_is_told_before_anything_else_and_until_it_is_heard) {
  Cluster cluster;
  ASSERT_TRUE(cluster.loop.run(cluster.backend.open()));
  cluster.end_is_kept = false;
  int refused = 0;
  cluster.yarn.set_trouble([&](const std::string& method, int) {
    if (method != "finishApplicationMaster") return Fate::served;
    EXPECT_FALSE(cluster.copied_records);
    return refused++ < 40 ? Fate::refused : Fate::served;
  });
  cluster.close();
  EXPECT_TRUE(cluster.yarn.is_finished());
  EXPECT_TRUE(cluster.copied_records);
}

TEST(YarnBackend, an_end_that_is_written_is_left_to_the_next_master_when_it_cannot_be_reported) {
  Cluster cluster;
  ASSERT_TRUE(cluster.loop.run(cluster.backend.open()));
  cluster.yarn.set_trouble([&](const std::string& method, int) {
    return method == "finishApplicationMaster" ? Fate::refused : Fate::served;
  });
  cluster.close();
  EXPECT_FALSE(cluster.yarn.is_finished());
  EXPECT_TRUE(cluster.copied_records);
}

TEST(YarnBackend, a_registration_that_is_refused_is_an_error_of_open_and_closing_still_copies_the_records) {
  Cluster cluster;
  cluster.yarn.set_trouble([](const std::string&, int) { return Fate::refused; });
  const auto opened = cluster.loop.run(cluster.backend.open());
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("it is busy"));
  cluster.close(job::JobState::failed);
  EXPECT_TRUE(cluster.copied_records);
  EXPECT_TRUE(cluster.events.empty());
}

TEST(YarnBackend, a_host_that_cannot_prepare_a_task_is_not_the_end_before_the_third_time) {
  Cluster cluster({.cannot_prepare = "no podman"});
  ASSERT_TRUE(cluster.loop.run(cluster.backend.open()));
  cluster.backend.place({.attempt = worker(0), .ports = 1});
  ASSERT_TRUE(cluster.hears<job::CannotPlace>(worker(0)));
  EXPECT_THAT(cluster.told<job::CannotPlace>(worker(0))->reason, HasSubstr("no podman"));
  EXPECT_EQ(cluster.yarn.containers().size(), 3U);
  cluster.close(job::JobState::failed);
}

TEST(YarnBackend, a_lost_container_is_told_after_its_logs_were_looked_for) {
  Cluster cluster({.never_ends = true});
  ASSERT_TRUE(cluster.loop.run(cluster.backend.open()));
  ASSERT_TRUE(cluster.start(0));
  cluster.yarn.lose_container(cluster.yarn.containers().at(0), 137);
  ASSERT_TRUE(cluster.hears<job::Lost>(worker(0)));
  EXPECT_THAT(cluster.notes, ElementsAre(HasSubstr("worker:0: the ends of its logs may be missing")));
  cluster.close(job::JobState::failed);
}

// ---- a failure at every step -----------------------------------------------------------------------------------

struct Ending {
  bool opened = false;
  int succeeded = 0;  // tasks
  bool finished = false;
  std::vector<std::string> calls;
};

Ending run_job(const ImposterYarn::Trouble& trouble) {
  Cluster cluster;
  cluster.yarn.set_trouble(trouble);
  Ending ending;
  ending.opened = cluster.loop.run(cluster.backend.open()).has_value();
  if (ending.opened) {
    for (int i = 0; i < 2; ++i) cluster.backend.place({.attempt = worker(i), .ports = 1});
    for (int i = 0; i < 2; ++i) {
      if (cluster.hears<job::Placed>(worker(i))) cluster.backend.launch({worker(i), {"train"}, {}});
    }
    for (int i = 0; i < 2; ++i) {
      if (cluster.hears<job::Exited>(worker(i)) && cluster.told<job::Exited>(worker(i))->status.ok())
        ++ending.succeeded;
    }
  }
  cluster.close();
  ending.finished = cluster.yarn.is_finished();
  ending.calls = cluster.yarn.calls();
  return ending;
}

class YarnBackendFailures : public testing::TestWithParam<Fate> {};

TEST_P(YarnBackendFailures, a_job_survives_one_at_any_step) {
  constexpr std::size_t kMostSteps = 50;
  for (std::size_t step = 0; step < kMostSteps; ++step) {
    const auto ending = run_job([&](const std::string&, int call) {
      return static_cast<std::size_t>(call) == step ? GetParam() : Fate::served;
    });
    if (ending.calls.size() <= step) {  // nothing failed any more
      EXPECT_GE(step, 4U) << "register, allocate, start and finish at least";
      return;
    }
    SCOPED_TRACE(fmt::format("step {}: {}", step, ending.calls[step]));
    if (!ending.opened) {
      EXPECT_EQ(GetParam(), Fate::refused) << "only what the ResourceManager refuses at the start is the end";
      EXPECT_EQ(step, 0U);
      continue;
    }
    EXPECT_EQ(ending.succeeded, 2);
    EXPECT_TRUE(ending.finished);
  }
  FAIL() << "a job of two tasks needs too many calls";
}

std::string name_of(const testing::TestParamInfo<Fate>& fate) {
  if (fate.param == Fate::refused) return "refused";
  return fate.param == Fate::not_heard ? "not_heard" : "answer_is_lost";
}

INSTANTIATE_TEST_SUITE_P(Calls, YarnBackendFailures,
                         testing::Values(Fate::refused, Fate::not_heard, Fate::answer_is_lost), name_of);

}  // namespace
}  // namespace ydl::backend

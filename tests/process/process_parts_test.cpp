#include "master/process_parts.hpp"

#include "support/process_probe.hpp"
#include "support/temp_dir.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <stdexcept>

namespace ydl::master {
namespace {

// A backend that throws where it is told to: a bug, or a process out of memory.
class Throwing final : public backend::Backend {
 public:
  enum class Where { open, place, close, never };
  explicit Throwing(Where where) : where_(where) {}
  net::Async<> open() override {
    fail_at(Where::open);
    co_return core::Result<>{};
  }
  void place(backend::TaskRequest /*request*/) override { fail_at(Where::place); }
  void launch(protocol::Launch /*request*/) override {}
  void pass(protocol::Notice /*notice*/) override {}
  void stop(protocol::Stop /*request*/) override {}
  void release(const core::AttemptId& /*attempt*/) override {}
  net::awaitable<void> close(const job::Outcome& /*outcome*/) override {
    fail_at(Where::close);
    co_return;
  }

 private:
  void fail_at(Where where) const {
    if (where == where_) throw std::runtime_error("no memory");
  }
  Where where_;
};

class RunToTheEnd : public testing::TestWithParam<Throwing::Where> {
 protected:
  int run() {
    jobs::JobFile file;
    file.id = folder_.id();
    file.spec.name = "story";
    file.spec.command = {"./train"};
    file.spec.roles.resize(1);
    file.spec.roles[0].name = "worker";
    file.spec.allocation_timeout = core::Millis(5);
    auto plan = make_plan(file.spec);
    if (!plan) throw std::runtime_error(plan.error().message);
    plan->job.allocation_rounds = 1;
    MasterSettings settings;
    settings.make_backend = [](backend::Sink) { return std::make_unique<Throwing>(GetParam()); };
    Master master(context_.get_executor(), folder_, std::move(file), *std::move(plan), settings);
    http::Server server(context_.get_executor(), {});
    net::asio::steady_timer patience(context_, test::kPatience);
    patience.async_wait([this](boost::system::error_code error) {
      if (error) return;
      hangs_ = true;
      context_.stop();
    });
    return run_to_the_end(context_, master, server, Attachment::detached);
  }

  test::TempDir dir_;
  jobs::JobFolder folder_ = *jobs::create_job_folder(dir_.path() / "jobs", "story");
  net::asio::io_context context_{1};
  bool hangs_ = false;
};

TEST_P(RunToTheEnd, an_exception_ends_the_job_and_the_process) {
  EXPECT_EQ(run(), 1);
  EXPECT_FALSE(hangs_);
  const auto state = jobs::read_state_file(folder_);
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(state->state, job::JobState::failed);
  if (GetParam() != Throwing::Where::close) {
    EXPECT_EQ(state->reason, "internal error in the job's master: running the job failed: no memory");
  }
}

struct Kept final : EventStore {
  void add(std::string /*line*/) override {}
};

class Signalled : public testing::Test {
 protected:
  // The job's state and the process's exit code after SIGTERM.
  std::pair<job::JobState, int> after_sigterm(EventStore* store) {
    jobs::JobFile file;
    file.id = folder_.id();
    file.spec.name = "story";
    file.spec.command = {"./train"};
    file.spec.roles.resize(1);
    file.spec.roles[0].name = "worker";
    MasterSettings settings;
    settings.store = store;
    settings.make_backend = [](backend::Sink) { return std::make_unique<Throwing>(Throwing::Where::never); };
    Master master(context_.get_executor(), folder_, file, *make_plan(file.spec), settings);
    http::Server server(context_.get_executor(), {});
    net::asio::steady_timer soon(context_, core::Millis(50));
    soon.async_wait([](boost::system::error_code) { ::raise(SIGTERM); });
    const int code = run_to_the_end(context_, master, server, Attachment::detached);
    has_left_ = master.has_left();
    const auto state = jobs::read_state_file(folder_);
    return {state ? state->state : job::JobState::lost, code};
  }

  test::TempDir dir_;
  jobs::JobFolder folder_ = *jobs::create_job_folder(dir_.path() / "jobs", "story");
  net::asio::io_context context_{1};
  bool has_left_ = false;
};

TEST_F(Signalled, a_master_that_is_not_replaced_stops_its_job) {
  EXPECT_EQ(after_sigterm(nullptr), std::pair(job::JobState::stopped, 130));
  EXPECT_FALSE(has_left_);
}

// A NodeManager ends a master like that when it stops, and YARN starts another one.
TEST_F(Signalled, a_master_that_can_be_replaced_leaves_its_job_to_the_next_one) {
  Kept store;
  const auto [state, code] = after_sigterm(&store);
  EXPECT_TRUE(has_left_);
  EXPECT_NE(code, 0);
  EXPECT_FALSE(core::is_final(state)) << "the job would count as ended";
}

INSTANTIATE_TEST_SUITE_P(Where, RunToTheEnd,
                         testing::Values(Throwing::Where::open, Throwing::Where::place, Throwing::Where::close));

}  // namespace
}  // namespace ydl::master

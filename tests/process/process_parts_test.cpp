#include "master/process_parts.hpp"

#include "support/process_probe.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <stdexcept>

namespace ydl::master {
namespace {

// A backend that throws where it is told to: a bug, or a process out of memory.
class Throwing final : public backend::Backend {
 public:
  enum class Where { open, place, close };
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
    EXPECT_EQ(state->reason, "an internal error of the job's master: running the job failed: no memory");
  }
}

INSTANTIATE_TEST_SUITE_P(Where, RunToTheEnd,
                         testing::Values(Throwing::Where::open, Throwing::Where::place, Throwing::Where::close));

}  // namespace
}  // namespace ydl::master

#include "net/spawn.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace ydl::net {
namespace {

using ::testing::ElementsAre;

awaitable<void> throws_at_once() {
  throw std::runtime_error("the disk is on fire");
  co_return;
}

awaitable<void> throws_a_number() {
  throw 7;
  co_return;
}

awaitable<void> adds_one(int& count) {
  co_await pause(core::Millis(0));
  ++count;
}

TEST(SpawnTest, a_background_coroutine_runs_to_completion) {
  asio::io_context context(1);
  int count = 0;
  spawn(context.get_executor(), "counting", adds_one(count));
  context.run();
  EXPECT_EQ(count, 1);
}

TEST(SpawnTest, an_exception_is_thrown_from_the_loop_with_the_name_of_the_coroutine) {
  asio::io_context context(1);
  spawn(context.get_executor(), "copying a log", throws_at_once());
  try {
    context.run();
    FAIL() << "the exception disappeared";
  } catch (const BackgroundFailure& failure) {
    EXPECT_STREQ(failure.what(), "copying a log failed: the disk is on fire");
  }
}

TEST(SpawnTest, an_exception_of_any_type_is_thrown_from_the_loop) {
  asio::io_context context(1);
  spawn(context.get_executor(), "counting", throws_a_number());
  EXPECT_THROW(context.run(), BackgroundFailure);
}

TEST(SpawnTest, the_loop_continues_after_the_first_failure_and_ends_with_the_second) {
  asio::io_context context(1);
  std::vector<std::string> seen;
  int count = 0;
  spawn(context.get_executor(), "first", throws_at_once());
  const auto note = [&](const BackgroundFailure& failure) {
    seen.emplace_back(failure.what());
    spawn(context.get_executor(), "counting", adds_one(count));
  };
  run_loop(context, note);
  EXPECT_THAT(seen, ElementsAre("first failed: the disk is on fire"));
  EXPECT_EQ(count, 1);

  context.restart();
  spawn(context.get_executor(), "first", throws_at_once());
  spawn(context.get_executor(), "second", throws_at_once());
  EXPECT_THROW(run_loop(context, note), BackgroundFailure);
}

}  // namespace
}  // namespace ydl::net

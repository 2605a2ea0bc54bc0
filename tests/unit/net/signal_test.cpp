#include "net/asio.hpp"

#include <gtest/gtest.h>

namespace ydl::net {
namespace {

class SignalTest : public testing::Test {
 protected:
  void wait(core::Millis at_most) {
    asio::co_spawn(context_, signal_.wait(at_most), [this](const std::exception_ptr&) { ++woken_; });
  }
  void settle() {
    context_.restart();
    context_.poll();
  }

  asio::io_context context_{1};
  Signal signal_{context_.get_executor()};
  int woken_ = 0;
};

TEST_F(SignalTest, wakes_all_waiting_coroutines) {
  for (int i = 0; i < 3; ++i) wait(core::Seconds(600));
  settle();
  EXPECT_EQ(woken_, 0);
  signal_.notify();
  settle();
  EXPECT_EQ(woken_, 3);
}

TEST_F(SignalTest, does_not_wake_a_coroutine_that_waits_later) {
  signal_.notify();
  wait(core::Seconds(600));
  settle();
  EXPECT_EQ(woken_, 0);
  signal_.notify();
  settle();
  EXPECT_EQ(woken_, 1);
}

TEST_F(SignalTest, waiting_ends_after_the_given_time) {
  wait(core::Millis(0));
  wait(core::Millis(1));
  context_.run();
  EXPECT_EQ(woken_, 2);
}

TEST_F(SignalTest, can_be_waited_for_again) {
  for (int i = 1; i <= 3; ++i) {
    wait(core::Seconds(600));
    settle();
    signal_.notify();
    settle();
    EXPECT_EQ(woken_, i);
  }
}

}  // namespace
}  // namespace ydl::net

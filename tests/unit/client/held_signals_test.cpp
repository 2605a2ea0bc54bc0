// Signals of this process: blocked, so that none of them ends the tests.
#include "client/held_signals.hpp"

#include "support/loop.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

namespace ydl::client {
namespace {

class InterruptionTest : public testing::Test {
 protected:
  ~InterruptionTest() override { (void)take_pending(); }

  static void send(int number) { ASSERT_EQ(::kill(::getpid(), number), 0); }
  static int take_pending() {
    sigset_t all;
    ::sigemptyset(&all);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&all, number);
    const timespec at_once{};
    return ::sigtimedwait(&all, nullptr, &at_once);
  }
  Interruption::Reactions reactions() {
    return {.first = [this] { ++first_; }, .second = [this] { ++second_; }};
  }

  HeldSignals held_;
  test::Loop loop_;
  int first_ = 0;
  int second_ = 0;
};

TEST_F(InterruptionTest, a_signal_is_a_request_to_stop) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const Interruption interruption(loop_.executor(), reactions());
    EXPECT_FALSE(interruption.token().stop_requested());
    send(number);
    EXPECT_TRUE(loop_.until([&] { return interruption.token().stop_requested(); })) << number;
  }
  EXPECT_EQ(first_, 3);
  EXPECT_EQ(second_, 0);
  EXPECT_EQ(take_pending(), -1) << "they were taken";
}

TEST_F(InterruptionTest, a_second_signal_is_told_apart) {
  const Interruption interruption(loop_.executor(), reactions());
  send(SIGINT);
  ASSERT_TRUE(loop_.until([&] { return first_ == 1; }));
  send(SIGINT);
  EXPECT_TRUE(loop_.until([&] { return second_ == 1; }));
  EXPECT_EQ(first_, 1);
}

TEST_F(InterruptionTest, what_comes_after_its_end_stays_pending) {
  Interruption interruption(loop_.executor(), reactions());
  loop_.settle();
  interruption.end();
  send(SIGINT);
  loop_.settle();
  EXPECT_FALSE(interruption.token().stop_requested());
  EXPECT_EQ(take_pending(), SIGINT);
}

TEST_F(InterruptionTest, a_signal_that_is_seen_only_after_the_end_stays_pending) {
  Interruption interruption(loop_.executor(), reactions());
  send(SIGTERM);
  interruption.end();
  loop_.settle();
  EXPECT_FALSE(interruption.token().stop_requested());
  EXPECT_EQ(take_pending(), SIGTERM);
}

TEST_F(InterruptionTest, a_signal_that_was_ignored_from_the_start_is_left_alone) {
  const auto before = ::signal(SIGHUP, SIG_IGN);
  const Interruption interruption(loop_.executor(), reactions());
  send(SIGHUP);
  loop_.settle();
  EXPECT_FALSE(interruption.token().stop_requested());
  ::signal(SIGHUP, before);
}

}  // namespace
}  // namespace ydl::client

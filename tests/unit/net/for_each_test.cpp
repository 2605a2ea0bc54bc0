#include "net/for_each.hpp"

#include "support/loop.hpp"

#include <gtest/gtest.h>
#include <set>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>

namespace ydl::net {
namespace {

struct Seen {
  std::set<std::size_t> done;
  std::size_t now = 0;
  std::size_t most = 0;
};

Async<> take_a_turn(Seen& seen, std::size_t index, std::size_t fails_at) {
  seen.most = std::max(seen.most, ++seen.now);
  co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
  --seen.now;
  if (index == fails_at) co_return core::fail(core::Errc::io, "no");
  seen.done.insert(index);
  co_return core::Result<>{};
}

constexpr std::size_t kNever = 1'000;

TEST(ForEach, runs_everything_and_at_most_the_given_number_at_once) {
  test::Loop loop;
  Seen seen;
  EXPECT_TRUE(loop.run(for_each(10, 3, [&](std::size_t i) { return take_a_turn(seen, i, kNever); })));
  EXPECT_EQ(seen.done.size(), 10U);
  EXPECT_EQ(seen.most, 3U);
}

TEST(ForEach, returns_at_once_without_work) {
  test::Loop loop;
  Seen seen;
  EXPECT_TRUE(loop.run(for_each(0, 3, [&](std::size_t i) { return take_a_turn(seen, i, kNever); })));
}

TEST(ForEach, starts_nothing_after_a_failure) {
  test::Loop loop;
  Seen seen;
  const auto result = loop.run(for_each(100, 2, [&](std::size_t i) { return take_a_turn(seen, i, 3); }));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "no");
  EXPECT_LT(seen.done.size(), 6U);
  EXPECT_EQ(seen.now, 0U);
}

struct Running {
  explicit Running(std::size_t& count) : count_(++count) {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() { --count_; }
  std::size_t& count_;
};

Async<> wait_for(Signal& gate, std::size_t& running) {
  const Running one(running);
  co_await gate.wait(core::Seconds(600));
  co_return core::Result<>{};
}

awaitable<void> do_all(Signal& gate, std::size_t& running) {
  (void)co_await for_each(5, 2, [&](std::size_t) { return wait_for(gate, running); });
}

awaitable<void> cancel_once_begun(Signal& gate, std::size_t& running, std::size_t& left) {
  using asio::experimental::awaitable_operators::operator||;
  co_await (do_all(gate, running) || asio::post(co_await asio::this_coro::executor, asio::use_awaitable));
  left = running;
}

// The work refers to objects of its caller, so it must have ended when the caller continues.
TEST(ForEach, a_cancelled_caller_continues_after_its_work_has_ended) {
  test::Loop loop;
  Signal gate(loop.executor());
  std::size_t running = 0;
  std::size_t left = kNever;
  loop.spawn(cancel_once_begun(gate, running, left));
  ASSERT_TRUE(loop.until([&] { return left != kNever; }));
  EXPECT_EQ(left, 0U);
  gate.notify();
  loop.settle();
}

}  // namespace
}  // namespace ydl::net

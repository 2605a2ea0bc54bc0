#include "net/for_each.hpp"

#include "support/loop.hpp"

#include <gtest/gtest.h>
#include <set>

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

TEST(ForEach, does_everything_and_no_more_at_a_time_than_asked) {
  test::Loop loop;
  Seen seen;
  EXPECT_TRUE(loop.run(for_each(10, 3, [&](std::size_t i) { return take_a_turn(seen, i, kNever); })));
  EXPECT_EQ(seen.done.size(), 10U);
  EXPECT_EQ(seen.most, 3U);
}

TEST(ForEach, nothing_to_do_is_done) {
  test::Loop loop;
  Seen seen;
  EXPECT_TRUE(loop.run(for_each(0, 3, [&](std::size_t i) { return take_a_turn(seen, i, kNever); })));
}

TEST(ForEach, begins_nothing_after_a_failure) {
  test::Loop loop;
  Seen seen;
  const auto result = loop.run(for_each(100, 2, [&](std::size_t i) { return take_a_turn(seen, i, 3); }));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "no");
  EXPECT_LT(seen.done.size(), 6U);
  EXPECT_EQ(seen.now, 0U);
}

}  // namespace
}  // namespace ydl::net

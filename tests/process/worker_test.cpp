#include "net/worker.hpp"

#include "support/loop.hpp"

#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace ydl::net {
namespace {

// Work that ends when the test lets it.
struct Gate {
  std::promise<void> opened;
  std::shared_future<void> open = opened.get_future().share();
};

awaitable<void> keep(Async<> work, std::optional<core::Result<>>& result) {
  result = co_await std::move(work);
}

TEST(Worker, works_outside_the_loop_one_after_the_other) {
  test::Loop loop;
  Worker worker;
  Gate gate;
  const auto own = std::this_thread::get_id();
  const auto order = std::make_shared<std::vector<int>>();
  std::optional<core::Result<>> first;
  std::optional<core::Result<>> second;
  loop.spawn(keep(worker.run([open = gate.open, order, own](const std::stop_token&) {
    open.wait();
    EXPECT_TRUE(std::this_thread::get_id() != own);
    order->push_back(1);
  }),
                  first));
  loop.spawn(keep(worker.run([order](const std::stop_token&) { order->push_back(2); }), second));
  loop.settle();  // the loop goes on while the first is busy
  EXPECT_FALSE(first);
  EXPECT_FALSE(second);
  gate.opened.set_value();
  ASSERT_TRUE(loop.until([&] { return first && second; }));
  EXPECT_TRUE(*first);
  EXPECT_TRUE(*second);
  EXPECT_EQ(*order, (std::vector<int>{1, 2}));
}

TEST(Worker, closing_stops_what_runs_and_drops_the_rest) {
  test::Loop loop;
  Worker worker;
  std::promise<void> began;
  std::optional<core::Result<>> first;
  std::optional<core::Result<>> second;
  loop.spawn(keep(worker.run([&began](const std::stop_token& stop) {
    began.set_value();
    while (!stop.stop_requested()) std::this_thread::yield();
  }),
                  first));
  loop.spawn(keep(worker.run([](const std::stop_token&) { ADD_FAILURE() << "it was not dropped"; }), second));
  loop.settle();
  began.get_future().wait();
  worker.close();
  ASSERT_TRUE(loop.until([&] { return first && second; }));
  EXPECT_TRUE(*first);
  ASSERT_FALSE(*second);
  EXPECT_EQ(second->error().code, core::Errc::cancelled);
  EXPECT_FALSE(loop.run(worker.run([](const std::stop_token&) { ADD_FAILURE() << "it was closed"; })));
}

TEST(Worker, an_exception_of_the_work_is_thrown_where_it_was_asked_for) {
  test::Loop loop;
  Worker worker;
  EXPECT_THROW((void)loop.run(worker.run([](const std::stop_token&) { throw std::runtime_error("no memory"); })),
               std::runtime_error);
  EXPECT_TRUE(loop.run(worker.run([](const std::stop_token&) {}))) << "the next work is done";
}

TEST(Worker, one_that_was_never_asked_has_no_thread_to_end) {
  Worker worker;
  worker.close();
  worker.close();
}

}  // namespace
}  // namespace ydl::net

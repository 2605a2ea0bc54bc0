#include "net/in_thread.hpp"

#include "support/loop.hpp"

#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <sys/resource.h>
#include <system_error>
#include <thread>

namespace ydl::net {
namespace {

TEST(InThread, work_is_done_outside_the_loop) {
  test::Loop loop;
  const auto answer = std::make_shared<int>(0);
  const auto own = std::this_thread::get_id();
  const bool done = loop.run(in_thread(
      [answer, own] {
        EXPECT_TRUE(std::this_thread::get_id() != own);
        *answer = 42;
      },
      test::kPatience));
  EXPECT_TRUE(done);
  EXPECT_EQ(*answer, 42);
}

TEST(InThread, what_takes_too_long_is_left_behind) {
  test::Loop loop;
  auto release = std::make_shared<std::promise<void>>();
  auto ended = std::make_shared<std::promise<void>>();
  auto released = release->get_future().share();
  const bool done = loop.run(in_thread(
      [released, ended] {
        released.wait();
        ended->set_value();
      },
      core::Millis(1)));
  EXPECT_FALSE(done);
  release->set_value();
  EXPECT_EQ(ended->get_future().wait_for(test::kPatience), std::future_status::ready);
}

TEST(InThread, an_exception_of_the_work_is_thrown_where_it_was_asked_for) {
  test::Loop loop;
  EXPECT_THROW((void)loop.run(in_thread([] { throw std::runtime_error("no memory"); }, test::kPatience)),
               std::runtime_error);
}

TEST(InThread, a_process_without_a_free_descriptor_is_told_so) {
  test::Loop loop;
  // The sanitizers need descriptors for what they see for the first time.
  (void)loop.run(in_thread([] {}, test::kPatience));
  for (const auto* category : {&std::generic_category(), &std::system_category()})
    EXPECT_THROW(throw std::system_error(EMFILE, *category), std::system_error);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_THROW((void)loop.run(in_thread([] {}, test::kPatience)), std::system_error);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace ydl::net

#include "cli/commands/slow_note.hpp"

#include "core/result.hpp"
#include "net/wait_for.hpp"

#include <gtest/gtest.h>

namespace ydl::cli {
namespace {

net::Async<int> answer() {
  co_return 7;
}

TEST(SlowNote, an_answer_that_arrives_in_time_is_not_explained) {
  net::asio::io_context context(1);
  testing::internal::CaptureStderr();
  const auto found = net::wait_for(context, with_slow_note(answer(), "no answer yet"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(found.value(), 7);
}

}  // namespace
}  // namespace ydl::cli

#include "core/ids.hpp"

#include <gtest/gtest.h>

namespace ydl::core {
namespace {

TEST(TaskId, is_written_and_read_as_role_and_index) {
  EXPECT_EQ((TaskId{"worker", 3}).str(), "worker:3");
  EXPECT_EQ((TaskId{"worker", 3}).file_name(), "worker-3");
  EXPECT_EQ(TaskId::parse("ps:0"), (TaskId{"ps", 0}));
}

TEST(TaskId, refuses_other_text_with_an_example) {
  for (const auto* bad : {"\x1b[2Jps:0", "a b:0", "../ps:0", "worker", ":1", "worker:", "worker:-1", "worker:x"}) {
    EXPECT_FALSE(TaskId::parse(bad)) << bad;
  }
  EXPECT_NE(TaskId::parse("worker").error().message.find("worker:0"), std::string::npos);
}

}  // namespace
}  // namespace ydl::core

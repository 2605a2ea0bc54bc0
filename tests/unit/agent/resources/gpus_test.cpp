#include "agent/resources/gpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::agent {
namespace {

std::vector<Gpu> some(int count) {
  std::vector<Gpu> gpus;
  for (int i = 0; i < count; ++i) gpus.push_back({i, "GPU-" + std::to_string(i), "H200", 1});
  return gpus;
}

TEST(Gpus, the_list_of_nvidia_smi_is_read) {
  const auto gpus = parse_nvidia_smi(
      "0, GPU-8f3e0f6a-0000-1111-2222-333344445555, NVIDIA H200, 143771\n"
      "1, GPU-8f3e0f6a-0000-1111-2222-333344445556, Tesla K80, dual, [N/A]\n");
  ASSERT_TRUE(gpus) << gpus.error().message;
  ASSERT_EQ(gpus->size(), 2U);
  EXPECT_EQ((*gpus)[0], (Gpu{0, "GPU-8f3e0f6a-0000-1111-2222-333344445555", "NVIDIA H200", 143771ULL << 20U}));
  EXPECT_EQ((*gpus)[1].name, "Tesla K80, dual");
  EXPECT_EQ((*gpus)[1].memory_bytes, 0U);
}

TEST(Gpus, without_output_or_devices_there_are_no_gpus) {
  EXPECT_TRUE(parse_nvidia_smi("")->empty());
  EXPECT_TRUE(parse_nvidia_smi("No devices were found\n")->empty());
}

TEST(Gpus, anything_else_is_quoted_in_the_error) {
  for (const auto* text : {"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", "0, GPU-1",
                           "x, GPU-1, name, 5", "-1, GPU-1, name, 5", "0, , name, 5", "0, GPU 1, name, 5"}) {
    const auto gpus = parse_nvidia_smi(text);
    ASSERT_FALSE(gpus) << text;
    EXPECT_NE(gpus.error().message.find(text), std::string::npos) << gpus.error().message;
  }
}

TEST(Gpus, devices_are_shown_by_uuid_and_none_hides_all) {
  EXPECT_EQ(visible_devices(some(2)), "GPU-0,GPU-1");
  EXPECT_EQ(visible_devices({}), "");
}

TEST(GpuPool, whole_gpus_are_given_once_and_come_back) {
  GpuPool pool(some(4));
  const auto first = pool.allocate(3);
  ASSERT_TRUE(first);
  EXPECT_EQ(visible_devices(*first), "GPU-0,GPU-1,GPU-2");
  EXPECT_FALSE(pool.allocate(2));
  EXPECT_EQ(pool.available(), 1U);
  const auto second = pool.allocate(1);
  ASSERT_TRUE(second);
  pool.release(*first);
  EXPECT_EQ(pool.available(), 3U);
  EXPECT_EQ(visible_devices(*pool.allocate(2)), "GPU-0,GPU-1");
}

TEST(GpuPool, nothing_can_be_asked_for_even_where_there_is_nothing) {
  GpuPool pool({});
  const auto none = pool.allocate(0);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
  EXPECT_FALSE(pool.allocate(1));
}

}  // namespace
}  // namespace ydl::agent

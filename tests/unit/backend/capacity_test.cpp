#include "backend/local/local.hpp"

#include <gtest/gtest.h>

namespace ydl::backend {
namespace {

constexpr std::uint64_t kGiB = 1ULL << 30U;
constexpr Machine kSmall{2, 8 * kGiB, 0};

std::string refusal(const Needs& needs, const Machine& machine) {
  const auto checked = check_capacity(needs, machine);
  if (checked) return "fits";
  EXPECT_EQ(checked.error().code, core::Errc::no_capacity);
  return checked.error().message;
}

TEST(Capacity, a_small_job_fits_a_small_machine) {
  EXPECT_EQ(refusal({1, 0, 0, ""}, kSmall), "fits");
  EXPECT_EQ(refusal({4, 8 * kGiB, 0, ""}, kSmall), "fits");
}

TEST(Capacity, many_more_tasks_than_cores_are_a_way_to_test) {
  EXPECT_EQ(refusal({256, 0, 0, ""}, kSmall), "fits");
  EXPECT_EQ(refusal({64 * 16, 0, 0, ""}, {16, 0, 0}), "fits");
}

TEST(Capacity, thousands_of_tasks_are_refused_with_the_limit) {
  EXPECT_EQ(refusal({257, 0, 0, ""}, kSmall),
            "257 tasks are too many for this machine (at most 256 on 2 cores): request fewer, or use a cluster");
  EXPECT_EQ(refusal({1025, 0, 0, ""}, {16, 0, 0}),
            "1025 tasks are too many for this machine (at most 1024 on 16 cores): request fewer, or use a cluster");
}

TEST(Capacity, gpus_that_do_not_exist_are_refused_with_the_roles_that_request_them) {
  EXPECT_EQ(refusal({2, 0, 2, "1 for each of 2 workers"}, kSmall),
            "the job needs 2 GPUs (1 for each of 2 workers), and this machine has none: request fewer with --resource "
            "ROLE:gpus=N, or use a cluster");
  EXPECT_EQ(refusal({1, 0, 3, "3 for each of 1 worker"}, {8, 0, 2}),
            "the job needs 3 GPUs (3 for each of 1 worker), and this machine has 2: request fewer with --resource "
            "ROLE:gpus=N, or use a cluster");
  EXPECT_EQ(refusal({2, 0, 2, "1 for each of 2 workers"}, {8, 0, 2}), "fits");
}

TEST(Capacity, memory_asked_for_must_be_there_all_together) {
  EXPECT_EQ(refusal({2, 8 * kGiB + 1, 0, ""}, kSmall).substr(0, 28), "the tasks request 8.0 GiB of");
  EXPECT_EQ(refusal({2, 16 * kGiB, 0, ""}, kSmall),
            "the tasks request 16 GiB of memory together, and this machine has 8 GiB: request less with --resource "
            "ROLE:memory=SIZE, or use a cluster");
}

TEST(Capacity, a_machine_whose_memory_is_unknown_refuses_none) {
  EXPECT_EQ(refusal({1, 1000 * kGiB, 0, ""}, {1, 0, 0}), "fits");
}

}  // namespace
}  // namespace ydl::backend

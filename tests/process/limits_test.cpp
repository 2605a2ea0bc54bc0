// What needs the machine itself: its cgroups, and a program that plays nvidia-smi.
#include "agent/resources/cgroup.hpp"
#include "agent/resources/gpus.hpp"
#include "process/task_fixture.hpp"

#include <gmock/gmock.h>
#include <signal.h>

namespace ydl::agent {
namespace {

using testing::HasSubstr;

// The kernel lets go of a cgroup a moment after its last process was collected.
bool removed_soon(TaskCgroup& cgroup) {
  const auto deadline = core::steady_now() + test::kPatience;
  while (!cgroup.remove()) {
    if (core::steady_now() > deadline) return false;
  }
  return true;
}

TEST_F(TaskTest, a_task_over_its_memory_limit_is_killed_and_the_cgroup_shows_it) {
  auto cgroups = Cgroups::detect();
  if (!cgroups.limits_memory()) GTEST_SKIP() << cgroups.why_not();
  const auto name = Cgroups::name_for("test" + std::to_string(::getpid()), "worker-0", 1);
  auto cgroup = cgroups.create(name, {.memory_bytes = std::uint64_t{32} << 20U, .vcores = 1});
  ASSERT_TRUE(cgroup) << cgroup.error().message;
  // tail keeps what has no line end in memory.
  auto wanted = request({"sh", "-c", "head -c 200000000 /dev/zero | tail -n 1 > /dev/null"});
  wanted.cgroups = cgroup->directories();
  auto task = launched(std::move(wanted));
  ASSERT_TRUE(expect<Ended>(task));
  EXPECT_TRUE(cgroup->oom_killed());
  EXPECT_GT(cgroup->peak_memory().value_or(1U << 30U), 16U << 20U);
  EXPECT_TRUE(removed_soon(*cgroup));
}

TEST_F(TaskTest, a_task_within_its_limits_runs_in_its_cgroup) {
  auto cgroups = Cgroups::detect();
  if (!cgroups.limits_memory()) GTEST_SKIP() << cgroups.why_not();
  const auto name = Cgroups::name_for("test" + std::to_string(::getpid()), "worker-0", 2);
  auto cgroup = cgroups.create(name, {.memory_bytes = std::uint64_t{256} << 20U, .vcores = 1});
  ASSERT_TRUE(cgroup) << cgroup.error().message;
  auto wanted = request({"cat", "/proc/self/cgroup"});
  wanted.cgroups = cgroup->directories();
  auto task = launched(std::move(wanted));
  const auto ended = expect<Ended>(task);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->exit_code, 0);
  EXPECT_THAT(output(), HasSubstr("/" + name + "\n"));
  EXPECT_FALSE(cgroup->oom_killed());
  EXPECT_TRUE(removed_soon(*cgroup));
}

class NvidiaSmi : public testing::Test {
 protected:
  [[nodiscard]] core::Result<std::vector<Gpu>> discover(const std::string& script,
                                                        core::Millis limit = test::kPatience) {
    const auto program = dir_.path() / "nvidia-smi";
    EXPECT_TRUE(core::write_file_atomically(program, "#!/bin/sh\n" + script, 0755));
    return discover_gpus(
        [&](const char* name) -> std::optional<std::string> {
          if (std::string_view(name) == "PATH") return dir_.path().string();
          return std::nullopt;
        },
        limit);
  }
  test::TempDir dir_;
};

TEST_F(NvidiaSmi, its_gpus_are_found) {
  const auto gpus = discover("echo \"0, GPU-1, $1, 10\"");
  ASSERT_TRUE(gpus) << gpus.error().message;
  ASSERT_EQ(gpus->size(), 1U);
  EXPECT_EQ(gpus->front().name, "--query-gpu=index,uuid,name,memory.total");
}

TEST_F(NvidiaSmi, not_being_there_means_no_gpus) {
  const auto gpus = discover_gpus([&](const char*) -> std::optional<std::string> { return std::nullopt; });
  if (std::filesystem::exists("/usr/bin/nvidia-smi")) GTEST_SKIP() << "this machine has nvidia-smi";
  ASSERT_TRUE(gpus);
  EXPECT_TRUE(gpus->empty());
}

TEST_F(NvidiaSmi, being_named_and_not_there_is_an_error) {
  const auto gpus = discover_gpus([&](const char* name) -> std::optional<std::string> {
    if (std::string_view(name) == "YDL_NVIDIA_SMI") return "/no/nvidia-smi";
    return std::nullopt;
  });
  ASSERT_FALSE(gpus);
  EXPECT_THAT(gpus.error().message, HasSubstr("/no/nvidia-smi"));
}

TEST_F(NvidiaSmi, its_failure_is_quoted) {
  const auto gpus = discover("echo 'NVIDIA-SMI has failed' ; exit 9");
  ASSERT_FALSE(gpus);
  EXPECT_THAT(gpus.error().message, testing::AllOf(HasSubstr("code 9"), HasSubstr("NVIDIA-SMI has failed")));
}

TEST_F(NvidiaSmi, no_devices_is_not_a_failure) {
  const auto gpus = discover("echo 'No devices were found'; exit 6");
  ASSERT_TRUE(gpus) << gpus.error().message;
  EXPECT_TRUE(gpus->empty());
}

TEST_F(NvidiaSmi, hanging_ends_at_the_limit) {
  const auto gpus = discover("exec sleep 60", core::Millis(50));
  ASSERT_FALSE(gpus);
  EXPECT_EQ(gpus.error().code, core::make_error_code(core::Errc::timeout));
}

}  // namespace
}  // namespace ydl::agent

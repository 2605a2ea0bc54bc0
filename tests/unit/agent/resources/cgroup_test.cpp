#include "agent/resources/cgroup.hpp"

#include "agent/resources/cgroup_files.hpp"
#include "core/files.hpp"
#include "support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::agent {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::string_view kName = "ydl-job1-worker-0-1";

// A tree of plain files in place of the kernel's. The kernel fills a new directory with files; here they are put there
// before, and create() takes the directory over.
class CgroupTree : public testing::Test {
 protected:
  void put(const fs::path& file, std::string_view text) {
    ASSERT_TRUE(core::make_directories((dir_.path() / file).parent_path()));
    ASSERT_TRUE(core::write_file_atomically(dir_.path() / file, text));
  }
  [[nodiscard]] std::string at(const fs::path& file) const {
    return core::read_file(dir_.path() / file).value_or("(none)");
  }
  [[nodiscard]] CgroupView view(std::string own) const { return {dir_.path(), std::move(own), 4242}; }

  void put_v2(const fs::path& directory, std::string_view enabled, std::string_view processes) {
    put(directory / "cgroup.controllers", "cpuset cpu io memory pids\n");
    put(directory / "cgroup.subtree_control", enabled);
    put(directory / "cgroup.procs", processes);
    if (directory != "") put(directory / "cgroup.type", "domain\n");
  }
  void put_task_v2(const fs::path& directory) {
    for (const auto* file : {"memory.max", "memory.swap.max", "memory.oom.group", "cpu.max"}) {
      put(directory / kName / file, "");
    }
  }
  void put_v1(const fs::path& controller, const fs::path& own) {
    put(controller / "cgroup.procs", "");
    put(controller / own / "cgroup.procs", "");
  }

  test::TempDir dir_;
};

TEST_F(CgroupTree, version_2_sets_memory_swap_and_cpu) {
  put_v2("", "cpu memory\n", "1\n");
  put_v2("user", "cpu memory\n", "");
  put_task_v2("user");
  auto cgroups = Cgroups::detect(view("0::/user\n"));
  EXPECT_TRUE(cgroups.limits_memory() && cgroups.limits_cpu());
  EXPECT_EQ(cgroups.why_not(), "");
  const auto made = cgroups.create(std::string(kName), {.memory_bytes = 1U << 20U, .vcores = 2});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->directories(), (std::vector<fs::path>{dir_.path() / "user" / kName}));
  EXPECT_EQ(at("user/ydl-job1-worker-0-1/memory.max"), "1048576");
  EXPECT_EQ(at("user/ydl-job1-worker-0-1/memory.swap.max"), "0");
  EXPECT_EQ(at("user/ydl-job1-worker-0-1/memory.oom.group"), "1");
  EXPECT_EQ(at("user/ydl-job1-worker-0-1/cpu.max"), "200000 100000");
}

TEST_F(CgroupTree, version_2_moves_this_process_to_a_leaf_when_it_is_alone) {
  put_v2("", "cpu memory\n", "1\n");
  put_v2("scope", "", "4242\n");
  put("scope/ydl-agent-4242/cgroup.procs", "");
  put_task_v2("scope");
  auto cgroups = Cgroups::detect(view("0::/scope\n"));
  ASSERT_TRUE(cgroups.create(std::string(kName), {}));
  EXPECT_EQ(at("scope/ydl-agent-4242/cgroup.procs"), "4242");
  EXPECT_THAT(at("scope/cgroup.subtree_control"), HasSubstr("+memory +cpu"));
}

TEST_F(CgroupTree, version_2_goes_outwards_when_others_live_in_our_cgroup) {
  put_v2("", "memory\n", "1\n");
  put_v2("slice", "memory\n", "");
  put_v2("slice/session", "", "17\n4242\n");
  put_task_v2("slice");
  auto cgroups = Cgroups::detect(view("0::/slice/session\n"));
  const auto made = cgroups.create(std::string(kName), {.memory_bytes = 4096, .vcores = 1});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->directories().front(), dir_.path() / "slice" / kName);
  EXPECT_EQ(at("slice/cgroup.subtree_control").substr(0, 4), "+cpu");
}

TEST_F(CgroupTree, version_2_tells_out_of_memory_and_the_peak) {
  put_v2("", "cpu memory\n", "");
  put_task_v2("");
  auto made = Cgroups::detect(view("0::/\n")).create(std::string(kName), {.memory_bytes = 4096, .vcores = {}});
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->oom_killed());
  EXPECT_FALSE(made->peak_memory());
  put(fs::path(kName) / "memory.events", "low 0\nhigh 0\nmax 9\noom 3\noom_kill 0\noom_group_kill 0\n");
  EXPECT_FALSE(made->oom_killed());
  put(fs::path(kName) / "memory.events", "low 0\nhigh 0\nmax 9\noom 3\noom_kill 1\noom_group_kill 1\n");
  put(fs::path(kName) / "memory.peak", "4096\n");
  EXPECT_TRUE(made->oom_killed());
  EXPECT_EQ(made->peak_memory(), 4096U);
  EXPECT_FALSE(made->remove()) << "it is not empty";
}

TEST_F(CgroupTree, version_2_tells_what_is_used_without_idle_file_cache) {
  put_v2("", "cpu memory\n", "");
  put_task_v2("");
  const auto made = Cgroups::detect(view("0::/\n")).create(std::string(kName), {.memory_bytes = 4096, .vcores = {}});
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->cpu_us());
  EXPECT_FALSE(made->memory_in_use());
  put(fs::path(kName) / "cpu.stat", "usage_usec 123456\nuser_usec 100000\nsystem_usec 23456\n");
  put(fs::path(kName) / "memory.current", "10000\n");
  EXPECT_EQ(made->cpu_us(), 123456U);
  EXPECT_EQ(made->memory_in_use(), 10000U);
  put(fs::path(kName) / "memory.stat", "anon 5000\ninactive_file 4000\nactive_file 1000\n");
  EXPECT_EQ(made->memory_in_use(), 6000U);
  put(fs::path(kName) / "memory.stat", "inactive_file 40000\n");
  EXPECT_EQ(made->memory_in_use(), 0U) << "the two files are not read at the same moment";
}

TEST_F(CgroupTree, version_2_with_other_processes_everywhere_explains_itself) {
  put_v2("", "", "");
  put("cgroup.type", "domain\n");  // a container's top is not the very top
  put("cgroup.procs", "1\n4242\n");
  auto cgroups = Cgroups::detect(view("0::/\n"));
  EXPECT_FALSE(cgroups.limits_memory() || cgroups.limits_cpu());
  EXPECT_THAT(cgroups.why_not(), HasSubstr("memory and cpu limits are not enforced"));
  const auto made = cgroups.create(std::string(kName), {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, cgroups.why_not());
  EXPECT_FALSE(fs::exists(dir_.path() / kName));
}

TEST_F(CgroupTree, version_1_takes_each_controllers_own_cgroup) {
  put_v1("memory", "a/b");
  put_v1("cpu,cpuacct", "c");
  const auto memory = fs::path("memory/a/b") / kName;
  const auto cpu = fs::path("cpu,cpuacct/c") / kName;
  put(memory / "memory.limit_in_bytes", "");
  put(memory / "memory.memsw.limit_in_bytes", "");
  put(cpu / "cpu.cfs_period_us", "");
  put(cpu / "cpu.cfs_quota_us", "");
  auto cgroups = Cgroups::detect(view("4:memory:/a/b\n3:cpu,cpuacct:/c\n0::/\n"));
  auto made = cgroups.create(std::string(kName), {.memory_bytes = 8192, .vcores = 3});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->directories(), (std::vector<fs::path>{dir_.path() / memory, dir_.path() / cpu}));
  EXPECT_EQ(at(memory / "memory.limit_in_bytes"), "8192");
  EXPECT_EQ(at(memory / "memory.memsw.limit_in_bytes"), "8192");
  EXPECT_EQ(at(cpu / "cpu.cfs_quota_us"), "300000");
  put(memory / "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
  put(memory / "memory.max_usage_in_bytes", "8000\n");
  EXPECT_TRUE(made->oom_killed());
  EXPECT_EQ(made->peak_memory(), 8000U);
  put(cpu / "cpuacct.usage", "123456789\n");
  put(memory / "memory.usage_in_bytes", "7000\n");
  put(memory / "memory.stat", "inactive_file 1\ntotal_inactive_file 3000\n");
  EXPECT_EQ(made->cpu_us(), 123456U);
  EXPECT_EQ(made->memory_in_use(), 4000U);
}

TEST_F(CgroupTree, version_1_uses_what_a_container_shows_as_the_top) {
  put("memory/cgroup.procs", "");
  put(fs::path("memory") / kName / "memory.limit_in_bytes", "");
  auto cgroups = Cgroups::detect(view("4:memory:/docker/0123\n"));
  EXPECT_TRUE(cgroups.limits_memory());
  EXPECT_FALSE(cgroups.limits_cpu());
  EXPECT_THAT(cgroups.why_not(), HasSubstr("cpu limits are not enforced"));
  const auto made = cgroups.create(std::string(kName), {.memory_bytes = 4096, .vcores = 1});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->directories().size(), 1U);
}

TEST_F(CgroupTree, a_limit_that_cannot_be_set_leaves_nothing_behind) {
  put("memory/cgroup.procs", "");
  auto cgroups = Cgroups::detect(view("4:memory:/\n"));
  const auto made = cgroups.create(std::string(kName), {.memory_bytes = 4096, .vcores = {}});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("memory.limit_in_bytes"));
  EXPECT_FALSE(fs::exists(dir_.path() / "memory" / kName));
}

TEST_F(CgroupTree, a_machine_without_cgroups_explains_itself) {
  const auto cgroups = Cgroups::detect(view(""));
  EXPECT_FALSE(cgroups.limits_memory() || cgroups.limits_cpu());
  EXPECT_THAT(cgroups.why_not(), HasSubstr(dir_.path().string()));
}

TEST_F(CgroupTree, only_old_empty_cgroups_of_our_form_are_leftovers) {
  put("memory/cgroup.procs", "");
  for (const auto* name : {"ydl-job1-worker-0-1", "ydl-job1", "ydl-", "other-job1-worker-0-1", "ydl-job-x"}) {
    ASSERT_TRUE(core::make_directories(dir_.path() / "memory" / name));
  }
  put("memory/ydl-job2-worker-0-1/cgroup.procs", "77\n");
  const auto cgroups = Cgroups::detect(view("4:memory:/\n"));
  const core::WallTime now = core::wall_now();
  EXPECT_EQ(cgroups.remove_leftovers(now, core::Seconds(3600)), 0);
  EXPECT_EQ(cgroups.remove_leftovers(now + core::Seconds(7200), core::Seconds(3600)), 1);
  EXPECT_FALSE(fs::exists(dir_.path() / "memory/ydl-job1-worker-0-1"));
  EXPECT_TRUE(fs::exists(dir_.path() / "memory/ydl-job1"));
  EXPECT_TRUE(fs::exists(dir_.path() / "memory/other-job1-worker-0-1"));
}

TEST(CgroupFiles, a_name_is_made_of_job_task_and_attempt) {
  EXPECT_EQ(Cgroups::name_for("j/1", "worker-0", 2), "ydl-j_1-worker-0-2");
}

TEST(CgroupFiles, the_line_of_a_controller_is_found) {
  constexpr std::string_view text = "9:name=systemd:/x\n3:cpu,cpuacct:/c:d\n0::/u\nnonsense\n";
  EXPECT_EQ(own_cgroup(text, "cpu"), "/c:d");
  EXPECT_EQ(own_cgroup(text, ""), "/u");
  EXPECT_EQ(mounted_together(text, "cpuacct"), "cpu,cpuacct");
  EXPECT_FALSE(own_cgroup(text, "memory"));
  EXPECT_FALSE(own_cgroup("3:cpu", "cpu"));
}

TEST(CgroupFiles, a_keyed_number_needs_its_whole_key) {
  EXPECT_EQ(keyed_number("oom_kill_disable 0\noom_kill 7\n", "oom_kill"), 7U);
  EXPECT_FALSE(keyed_number("oom_kill_disable 0\n", "oom_kill"));
  EXPECT_FALSE(keyed_number("oom_kill x\n", "oom_kill"));
}

}  // namespace
}  // namespace ydl::agent

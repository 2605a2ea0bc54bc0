#include "jobs/job_folder.hpp"

#include "jobs/job_summary.hpp"
#include "support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace ydl::jobs {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

constexpr core::WallTime kCreated{core::Millis(1'794'712'408'123)};

class JobFolderTest : public testing::Test {
 protected:
  JobFolder folder(const std::string& id) {
    JobFolder made(jobs() / id);
    fs::create_directories(made.root());
    return made;
  }
  [[nodiscard]] fs::path jobs() const { return dir_.path() / "jobs"; }

  static void write(const fs::path& path, std::string_view text) {
    ASSERT_TRUE(core::write_file_atomically(path, text));
  }
  static mode_t mode_of(const fs::path& path) {
    struct stat found{};
    EXPECT_EQ(::stat(path.c_str(), &found), 0) << path;
    return found.st_mode & 0777U;
  }

  test::TempDir dir_;
};

JobFile full_job(const JobFolder& folder) {
  JobFile job;
  job.id = folder.id();
  job.created = kCreated;
  job.user = "ann";
  job.ydl_version = "0.1.0";
  job.cluster = core::ClusterKind::local;
  job.results = "/data/results";
  job.port_range = {20000, 20100};
  job.spec.name = "mnist";
  job.spec.framework = "mxnet";
  job.spec.command = {"python", "train.py", "--text", "a \"b\"\n数据"};
  job.spec.env = {{"A", "1"}};
  job.spec.roles.resize(2);
  job.spec.roles[0].name = "worker";
  job.spec.roles[0].count = 2;
  job.spec.roles[0].resources = {2ULL << 30U, 2, 1, "gpu"};
  job.spec.roles[1].name = "server";
  job.spec.roles[1].retries = 3;
  job.spec.files = {{"data", "d"}};
  job.spec.directory = "/home/ann/work";
  job.spec.python = "/opt/python";
  job.spec.run_timeout = core::Seconds(90);
  return job;
}

// ---- files -----------------------------------------------------------------------------------------------------

TEST_F(JobFolderTest, an_id_has_the_form_that_new_folders_get) {
  for (const auto* name : {"train", "Train MNIST!", "", "---", "a-very-long-name-of-a-job-that-is-cut"}) {
    EXPECT_TRUE(is_job_id(create_job_folder(jobs(), name)->id().str())) << name;
  }
  for (const auto* text : {"", "-03fa", "train", "train-03f", "train-03fg", "TRAIN-03fa", "../x-03fa", "a/b-03fa",
                           ".a-03fa", "-a-03fa", "a\n-03fa", "aaaaaaaaaaaaaaaaaaaaaaaaa-03fa"}) {
    EXPECT_FALSE(is_job_id(text)) << text;
  }
}

TEST_F(JobFolderTest, a_job_file_comes_back_as_it_was_written) {
  const auto made = folder("mnist-1");
  const auto job = full_job(made);
  ASSERT_TRUE(write_job_file(made, job));
  const auto back = read_job_file(made);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->id, job.id);
  EXPECT_EQ(back->created, job.created);
  EXPECT_EQ(back->user, job.user);
  EXPECT_EQ(back->ydl_version, job.ydl_version);
  EXPECT_EQ(back->cluster, job.cluster);
  EXPECT_EQ(back->results, job.results);
  EXPECT_EQ(back->port_range, job.port_range);
  EXPECT_EQ(back->spec, job.spec);
}

TEST_F(JobFolderTest, a_state_file_comes_back_as_it_was_written) {
  const auto made = folder("mnist-1");
  const StateFile state{core::JobState::failed, 4, 3, "worker:1 failed with exit code 3", "worker:1", 2, kCreated};
  ASSERT_TRUE(write_state_file(made, state));
  const auto back = read_state_file(made);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->state, state.state);
  EXPECT_EQ(back->tasks, state.tasks);
  EXPECT_EQ(back->exit_code, state.exit_code);
  EXPECT_EQ(back->reason, state.reason);
  EXPECT_EQ(back->cause, state.cause);
  EXPECT_EQ(back->cause_attempt, state.cause_attempt);
  EXPECT_EQ(back->finished, state.finished);
}

TEST_F(JobFolderTest, a_running_jobs_state_has_no_end) {
  const auto made = folder("mnist-1");
  ASSERT_TRUE(write_state_file(made, {core::JobState::running, 2, 0, "", "", 0, std::nullopt}));
  EXPECT_FALSE(read_state_file(made)->finished);
}

TEST_F(JobFolderTest, files_are_for_their_owner_only) {
  const auto made = create_job_folder(jobs(), "mnist");
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_TRUE(write_job_file(*made, full_job(*made)));
  ASSERT_TRUE(write_state_file(*made, {core::JobState::placing, 0, 0, "", "", 0, std::nullopt}));
  const auto lock = lock_job(*made);
  EXPECT_EQ(mode_of(made->job_file()), 0600U);
  EXPECT_EQ(mode_of(made->state_file()), 0600U);
  EXPECT_EQ(mode_of(made->lock_file()), 0600U);
  EXPECT_EQ(mode_of(made->root()), 0700U);
}

TEST_F(JobFolderTest, a_missing_file_is_said_with_its_path) {
  const auto made = folder("mnist-1");
  EXPECT_THAT(read_job_file(made).error().message, HasSubstr("job.json"));
  EXPECT_EQ(read_state_file(made).error().code, std::errc::no_such_file_or_directory);
}

TEST_F(JobFolderTest, a_file_written_halfway_is_corrupt_and_named) {
  const auto made = folder("mnist-1");
  ASSERT_TRUE(write_job_file(made, full_job(made)));
  const auto whole = *core::read_file(made.job_file());
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, whole.size() / 2, whole.size() - 3}) {
    write(made.job_file(), whole.substr(0, length));
    const auto read = read_job_file(made);
    ASSERT_FALSE(read) << length;
    EXPECT_EQ(read.error().code, core::Errc::corrupt);
    EXPECT_THAT(read.error().message, StartsWith(made.job_file().string()));
  }
}

TEST_F(JobFolderTest, a_newer_file_is_refused_with_both_versions) {
  const auto made = folder("mnist-1");
  write(made.state_file(), R"({"version":2,"state":"running"})");
  const auto read = read_state_file(made);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, core::Errc::refused);
  EXPECT_THAT(read.error().message,
              HasSubstr("has version 2 and was written by a newer version of ydl; this ydl reads version 1"));
}

TEST_F(JobFolderTest, what_is_not_ours_is_corrupt) {
  const auto made = folder("mnist-1");
  for (const auto* text : {"[]", "7", "{}", R"({"version":"1"})", R"({"version":1})", R"({"version":1,"state":7})",
                           R"({"version":1,"state":"paused"})", "\xff\xfe", R"({"version":1,"state":"x"} {})"}) {
    write(made.state_file(), text);
    const auto read = read_state_file(made);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, core::Errc::corrupt) << text;
    EXPECT_THAT(read.error().message, HasSubstr("state.json")) << text;
  }
}

TEST_F(JobFolderTest, a_job_file_whose_parts_are_broken_is_corrupt_or_says_where) {
  const auto made = folder("mnist-1");
  for (const auto* text :
       {R"({"version":1,"created":"soon","spec":{}})", R"({"version":1,"created":"2026-11-15T03:13:28.123Z"})",
        R"({"version":1,"created":"2026-11-15T03:13:28.123Z","spec":{}})",
        R"({"version":1,"created":"2026-11-15T03:13:28.123Z","spec":[]})"}) {
    write(made.job_file(), text);
    const auto read = read_job_file(made);
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message, HasSubstr("job.json")) << text;
  }
}

TEST_F(JobFolderTest, a_broken_port_range_is_not_read_as_ports) {
  const auto made = folder("mnist-1");
  ASSERT_TRUE(write_job_file(made, full_job(made)));
  const auto whole = *core::read_file(made.job_file());
  const std::string good = "[20000,20100]";
  for (const auto* range : {R"(["a","b"])", "[1]", "[0,5]", "[1,70000]", "[5,1]", "7"}) {
    auto text = whole;
    write(made.job_file(), text.replace(text.find(good), good.size(), range));
    const auto read = read_job_file(made);
    ASSERT_FALSE(read) << range;
    EXPECT_EQ(read.error().code, core::Errc::corrupt);
    EXPECT_THAT(read.error().message, HasSubstr("'port_range'"));
  }
}

// ---- ids -------------------------------------------------------------------------------------------------------

TEST_F(JobFolderTest, an_id_is_the_name_made_plain_and_four_digits) {
  const auto id_of = [&](const std::string& name) { return create_job_folder(jobs(), name)->id().str(); };
  EXPECT_THAT(id_of("train_MNIST"), MatchesRegex("train-mnist-[0-9a-f]{4}"));
  EXPECT_THAT(id_of("../../etc"), MatchesRegex("etc-[0-9a-f]{4}"));
  EXPECT_THAT(id_of("数据"), MatchesRegex("job-[0-9a-f]{4}"));
  EXPECT_THAT(id_of(""), MatchesRegex("job-[0-9a-f]{4}"));
  EXPECT_THAT(id_of("a--b  c-"), MatchesRegex("a-b-c-[0-9a-f]{4}"));
  EXPECT_THAT(id_of(std::string(100, 'x')), MatchesRegex("x{24}-[0-9a-f]{4}"));
}

TEST_F(JobFolderTest, jobs_of_one_name_have_different_ids) {
  std::set<std::string> ids;
  for (int i = 0; i < 50; ++i) ids.insert(create_job_folder(jobs(), "same")->id().str());
  EXPECT_EQ(ids.size(), 50U);
}

TEST_F(JobFolderTest, a_folder_is_listed_only_when_its_files_are_there) {
  const auto made = create_job_folder(jobs(), "mnist", [&](const JobFolder& unfinished, const JobFolder& folder) {
    EXPECT_TRUE(list_job_folders(jobs()).empty()) << "a client that is killed here leaves no job";
    return write_job_file(unfinished, full_job(folder));
  });
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(read_job_file(*made)->id, made->id());
  EXPECT_EQ(list_job_folders(jobs()).size(), 1U);
}

TEST_F(JobFolderTest, a_folder_that_could_not_be_filled_is_removed) {
  const auto made = create_job_folder(jobs(), "mnist", [](const auto&, const auto&) -> core::Result<void> {
    return core::fail(core::Errc::io, "the disk is full");
  });
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "the disk is full");
  EXPECT_TRUE(std::filesystem::is_empty(jobs()));
}

TEST_F(JobFolderTest, what_a_killed_client_left_is_removed_an_hour_later) {
  const auto old = jobs() / ".old-1234";
  const auto fresh = jobs() / ".fresh-1234";
  for (const auto& path : {old, fresh}) std::filesystem::create_directories(path / "logs");
  std::filesystem::last_write_time(old, std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  ASSERT_TRUE(create_job_folder(jobs(), "mnist"));
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_TRUE(std::filesystem::exists(fresh));
}

TEST_F(JobFolderTest, a_folder_that_cannot_be_made_is_said_with_its_path) {
  write(dir_.path() / "file", "");
  const auto made = create_job_folder(dir_.path() / "file" / "jobs", "x");
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr((dir_.path() / "file").string()));
}

TEST_F(JobFolderTest, an_id_or_the_beginning_of_one_finds_its_job) {
  folder("mnist-1a2b");
  folder("mnist-1");
  folder("cifar-9");
  EXPECT_EQ(find_job_folder(jobs(), "mnist-1")->root(), jobs() / "mnist-1") << "an exact id wins over a longer one";
  EXPECT_EQ(find_job_folder(jobs(), "mnist-1a")->id().str(), "mnist-1a2b");
  EXPECT_EQ(find_job_folder(jobs(), "c")->id().str(), "cifar-9");
}

TEST_F(JobFolderTest, a_beginning_of_several_ids_is_refused_with_their_names) {
  folder("mnist-1a");
  folder("mnist-1b");
  const auto found = find_job_folder(jobs(), "mnist");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, core::Errc::not_found);
  EXPECT_THAT(found.error().message,
              MatchesRegex("'mnist' matches several jobs: mnist-1[ab], mnist-1[ab]; give more of the id"));
}

TEST_F(JobFolderTest, an_unknown_id_is_answered_with_the_nearest) {
  folder("mnist-1a2b");
  const auto found = find_job_folder(jobs(), "mnits-1a2b");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, core::Errc::not_found);
  EXPECT_EQ(found.error().message, "there is no job 'mnits-1a2b'; did you mean 'mnist-1a2b'? (`ydl ls` shows all)");
  EXPECT_EQ(find_job_folder(jobs() / "none", "x").error().message, "there is no job 'x' (`ydl ls` shows all)");
}

TEST_F(JobFolderTest, no_id_leads_out_of_the_jobs_folder) {
  fs::create_directories(dir_.path() / "secret");
  for (const auto* id : {"", ".", "..", "../secret", "/etc", "a/b", ".hidden"}) {
    const auto found = find_job_folder(jobs(), id);
    ASSERT_FALSE(found) << id;
    EXPECT_THAT(found.error().message, HasSubstr("is not a job id")) << id;
  }
}

TEST_F(JobFolderTest, jobs_lie_in_the_state_folder_of_the_user) {
  const auto root = [](std::map<std::string, std::string> env) {
    return jobs_root([env = std::move(env)](const char* name) -> std::optional<std::string> {
      const auto found = env.find(name);
      return found == env.end() ? std::nullopt : std::optional(found->second);
    });
  };
  EXPECT_EQ(*root({{"XDG_STATE_HOME", "/s"}, {"HOME", "/h"}}), "/s/ydl/jobs");
  EXPECT_EQ(*root({{"HOME", "/h"}}), "/h/.local/state/ydl/jobs");
  EXPECT_EQ(*root({{"XDG_STATE_HOME", "relative"}, {"HOME", "/h"}}), "/h/.local/state/ydl/jobs")
      << "a relative XDG path is invalid and is ignored";
}

TEST_F(JobFolderTest, each_attempt_has_logs_of_its_own) {
  const JobFolder made("/jobs/x");
  EXPECT_EQ(made.task_logs({{"worker", 3}, 2}), "/jobs/x/logs/worker-3/2");
  EXPECT_EQ(made.working_directory({"worker", 3}), "/jobs/x/tasks/worker-3");
}

// ---- the lock --------------------------------------------------------------------------------------------------

TEST_F(JobFolderTest, a_master_lives_as_long_as_its_lock) {
  const auto made = folder("mnist-1");
  EXPECT_FALSE(master_lives(made)) << "there never was one";
  {
    const auto lock = lock_job(made);
    ASSERT_TRUE(lock) << lock.error().message;
    EXPECT_TRUE(master_lives(made));
    EXPECT_TRUE(master_lives(made)) << "looking does not take the lock away";
  }
  EXPECT_FALSE(master_lives(made));
}

TEST_F(JobFolderTest, a_job_has_one_master) {
  const auto made = folder("mnist-1");
  auto first = lock_job(made);
  const auto second = lock_job(made);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, core::Errc::exists);
  EXPECT_EQ(second.error().message, "job mnist-1 already has a master");
  first->reset();
  EXPECT_TRUE(lock_job(made));
}

// ---- the list --------------------------------------------------------------------------------------------------

class JobListTest : public JobFolderTest {
 protected:
  JobFolder job(const std::string& id, core::Millis later, core::JobState state) {
    const auto made = folder(id);
    auto file = full_job(made);
    file.created = kCreated + later;
    EXPECT_TRUE(write_job_file(made, file));
    EXPECT_TRUE(write_state_file(made, {state, 3, 0, "why", "", 0, std::nullopt}));
    return made;
  }
};

TEST_F(JobListTest, the_newest_job_comes_first) {
  job("old-1", core::Seconds(0), core::JobState::succeeded);
  job("new-1", core::Seconds(9), core::JobState::failed);
  job("mid-1", core::Seconds(5), core::JobState::stopped);
  const auto list = summarise_jobs(jobs());
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0].id.str(), "new-1");
  EXPECT_EQ(list[1].id.str(), "mid-1");
  EXPECT_EQ(list[2].id.str(), "old-1");
  EXPECT_EQ(list[0].name, "mnist");
  EXPECT_EQ(list[0].framework, "mxnet");
  EXPECT_EQ(list[0].tasks, 3);
  EXPECT_EQ(list[0].reason, "why");
}

TEST_F(JobListTest, a_job_whose_master_is_gone_is_lost) {
  job("dead-1", core::Seconds(0), core::JobState::running);
  EXPECT_EQ(summarise_jobs(jobs())[0].state, core::JobState::lost);
  const auto lock = lock_job(JobFolder(jobs() / "dead-1"));
  EXPECT_EQ(summarise_jobs(jobs())[0].state, core::JobState::running);
}

TEST_F(JobListTest, an_unreadable_job_is_one_line_and_not_the_end) {
  job("good-1", core::Seconds(0), core::JobState::succeeded);
  folder("empty-1");
  write(job("broken-1", core::Seconds(0), core::JobState::succeeded).state_file(), "{");
  write(jobs() / "other-file", "");
  const auto list = summarise_jobs(jobs());
  ASSERT_EQ(list.size(), 3U);
  std::map<std::string, std::optional<core::JobState>> states;
  for (const auto& item : list) states[item.id.str()] = item.state;
  EXPECT_EQ(states, (std::map<std::string, std::optional<core::JobState>>{
                        {"good-1", core::JobState::succeeded}, {"empty-1", std::nullopt}, {"broken-1", std::nullopt}}));
}

TEST_F(JobListTest, a_job_on_a_cluster_of_another_version_is_unreadable_and_says_why) {
  const auto made = job("far-1", core::Seconds(0), core::JobState::running);
  auto text = *core::read_file(made.job_file());
  text.replace(text.find("\"local\""), 7, "\"slurm\"");
  write(made.job_file(), text);
  const auto list = summarise_jobs(jobs());
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].state, std::nullopt);
  EXPECT_EQ(list[0].cluster, std::nullopt);
  EXPECT_THAT(list[0].reason, HasSubstr("'cluster' has the unknown value 'slurm'"));
  const auto read = read_job_file(made);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("'cluster' has the unknown value 'slurm'"));
}

TEST_F(JobListTest, without_a_folder_there_are_no_jobs) {
  EXPECT_TRUE(summarise_jobs(jobs()).empty());
}

}  // namespace
}  // namespace ydl::jobs

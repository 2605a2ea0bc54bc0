#include "backend/yarn/staging_plan.hpp"

#include "backend/yarn/staging.hpp"
#include "core/files.hpp"
#include "support/temp_dir.hpp"

#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::backend {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class Plan : public testing::Test {
 protected:
  Plan() {
    fs::create_directory(job_directory);
    job.directory = job_directory.string();
    write(dir.path() / "ydl-program", "program");
  }

  static void write(const fs::path& path, std::string_view text) {
    fs::create_directories(path.parent_path());
    ASSERT_TRUE(core::write_file_atomically(path, text));
  }
  // A hole: it takes no space.
  static void write_large(const fs::path& path, std::uint64_t size = kPartSize) {
    write(path, "");
    fs::resize_file(path, size);
  }
  core::Result<StagingPlan> plan() { return plan_staging(job, (dir.path() / "ydl-program").string(), python_env); }
  static std::vector<std::string> names(const StagingPlan& plan) {
    std::vector<std::string> names;
    for (const auto& item : plan.items) names.push_back(item.name + "=" + item.cache_name);
    std::ranges::sort(names);
    return names;
  }
  static std::vector<std::string> links(const StagingPlan& plan) {
    std::vector<std::string> links;
    for (const auto& link : plan.links) links.push_back(link.name + "->" + link.target);
    return links;
  }
  static std::vector<std::string> members(const StagingPlan& plan, std::string_view name) {
    std::vector<std::string> members;
    const auto& item = *std::ranges::find(plan.items, name, &StagingItem::name);
    for (const auto& entry : std::get<FileTree>(item.content).entries) members.push_back(entry.tar.name);
    return members;
  }

  test::TempDir dir;
  fs::path job_directory = dir.path() / "job";
  spec::JobSpec job;
  std::optional<PythonEnv> python_env;
};

TEST_F(Plan, small_files_of_the_directory_are_uploaded_as_one_archive) {
  write(job_directory / "train.py", "print()");
  write(job_directory / "util/a.py", "");
  const auto made = plan().value();
  EXPECT_THAT(names(made), ElementsAre("code=code.tar", "ydl=ydl"));
  EXPECT_THAT(members(made, "code"), ElementsAre("train.py", "util", "util/a.py"));
  EXPECT_EQ(made.linked_directory, "code");
  EXPECT_TRUE(made.links.empty());
}

TEST_F(Plan, large_files_and_folders_of_the_directory_are_uploaded_separately) {
  write(job_directory / "train.py", "print()");
  write_large(job_directory / "weights.bin");
  write_large(job_directory / "data/deep/train.rec");
  write(job_directory / "data/labels", "1");
  const auto made = plan().value();
  EXPECT_THAT(names(made), ElementsAre("code=code.tar", "part-1=data.tar", "part-2=weights.bin", "ydl=ydl"));
  EXPECT_THAT(links(made), ElementsAre("data->part-1", "weights.bin->part-2"));
  EXPECT_THAT(members(made, "part-1"), ElementsAre("deep", "deep/train.rec", "labels"));
  EXPECT_THAT(members(made, "code"), ElementsAre("train.py"));
}

TEST_F(Plan, a_link_from_one_archive_into_another_is_packed_as_what_it_leads_to) {
  write_large(job_directory / "data/train.rec");
  write(job_directory / "data/labels", "1");
  fs::create_symlink("data/labels", job_directory / "labels");
  fs::create_symlink("data", job_directory / "latest");
  const auto made = plan().value();
  EXPECT_THAT(links(made), ElementsAre("data->part-1", "latest->part-2"));
  const auto& code = *std::ranges::find(made.items, "code", &StagingItem::name);
  EXPECT_EQ(std::get<FileTree>(code.content).entries.at(0).tar.kind, TarEntry::Kind::file);
}

TEST_F(Plan, ignored_files_are_not_uploaded) {
  write(job_directory / ".ydlignore", "*.bin\n");
  write_large(job_directory / "weights.bin");
  write(job_directory / "a.py", "");
  EXPECT_THAT(members(plan().value(), "code"), ElementsAre(".ydlignore", "a.py"));
}

TEST_F(Plan, without_auto_files_only_named_files_are_uploaded) {
  job.auto_files = false;
  write(job_directory / "train.py", "print()");
  const auto made = plan().value();
  EXPECT_THAT(names(made), ElementsAre("ydl=ydl"));
  EXPECT_EQ(made.linked_directory, "");
}

TEST_F(Plan, an_empty_directory_sends_nothing) {
  EXPECT_THAT(names(plan().value()), ElementsAre("ydl=ydl"));
  EXPECT_EQ(plan().value().linked_directory, "");
}

TEST_F(Plan, small_named_files_share_an_archive_without_meeting) {
  job.auto_files = false;
  write(dir.path() / "a/conf.json", "a");
  write(dir.path() / "b/conf.json", "b");
  job.files = {{"../a/conf.json", ""}, {"../b/conf.json", "conf/b.json"}, {"../a", "folder"}};
  const auto made = plan().value();
  EXPECT_THAT(names(made), ElementsAre("files=files.tar", "ydl=ydl"));
  EXPECT_THAT(links(made),
              ElementsAre("conf.json->files/0/conf.json", "conf/b.json->files/1/b.json", "folder->files/2/folder"));
  EXPECT_THAT(members(made, "files"), ElementsAre("0/conf.json", "1/b.json", "2/folder", "2/folder/conf.json"));
}

TEST_F(Plan, a_named_file_comes_before_what_lies_in_the_directory) {
  write_large(job_directory / "data.bin");
  write_large(dir.path() / "other.bin");
  job.files = {{"../other.bin", "data.bin"}};
  EXPECT_THAT(links(plan().value()), ElementsAre("data.bin->part-1", "data.bin->part-2"));
}

TEST_F(Plan, archives_keep_the_end_of_their_name) {
  write(dir.path() / (std::string(150, 'x') + " é.tar.gz"), "");
  job.archives = {{"../" + std::string(150, 'x') + " é.tar.gz", "data"}};
  const auto made = plan().value();
  EXPECT_THAT(links(made), ElementsAre("data->part-1"));
  EXPECT_EQ(made.items.at(1).cache_name.size(), 100U);
  EXPECT_TRUE(made.items.at(1).cache_name.ends_with("xxx___.tar.gz"));
  EXPECT_EQ(made.items.at(1).type, yarn::LocalResource::Type::archive);
}

TEST_F(Plan, an_archive_that_yarn_does_not_unpack_is_refused) {
  write(dir.path() / "data.tar.xz", "");
  job.archives = {{"../data.tar.xz", ""}};
  EXPECT_THAT(plan().error().message, HasSubstr("YARN recognises archives by their suffix and unpacks only .tar.gz"));
}

TEST_F(Plan, what_is_named_must_exist) {
  job.files = {{"missing", ""}};
  EXPECT_THAT(plan().error().message, HasSubstr("missing does not exist, but --file names it"));
}

TEST_F(Plan, the_limit_counts_everything_but_the_program) {
  job.files_limit = kPartSize + 10;
  write_large(job_directory / "weights.bin");
  write(job_directory / "a", "12345");
  write(dir.path() / "b", "12345");
  job.files = {{"../b", ""}};
  EXPECT_TRUE(plan());
  write(dir.path() / "b", "123456");
  EXPECT_THAT(plan().error().message,
              HasSubstr("more than 4.0 MiB would be uploaded: name files that the tasks do not need in"));
  write_large(job_directory / "weights.bin", kPartSize + 11);
  EXPECT_EQ(plan().error().code, core::Errc::usage);
}

TEST_F(Plan, a_packed_environment_is_uploaded_as_it_is) {
  job.auto_files = false;
  write(dir.path() / "e.tar.gz", "");
  python_env = PythonEnv{.archive = dir.path() / "e.tar.gz"};
  const auto made = plan().value();
  EXPECT_THAT(names(made), ElementsAre("env=e.tar.gz", "ydl=ydl"));
  EXPECT_THAT(links(made), ElementsAre(".ydl-python-env->env"));
}

TEST_F(Plan, an_environment_is_packed_once_and_has_its_facts_for_agents) {
  job.auto_files = false;
  const auto venv = dir.path() / "venv";
  write(venv / "bin/python", "elf");
  python_env = PythonEnv{.folder = venv, .cache = dir.path() / "cache", .key = "k1", .source = "venv"};
  python_env->packages = AddedPackages{.folder = dir.path() / "layer", .key = "k2", .source = "scipy"};
  write(dir.path() / "layer/scipy.py", "12345");
  const auto made = plan().value();
  EXPECT_THAT(names(made), ElementsAre("env-packages=python-packages.tar.zst", "env=python-base.tar.zst", "ydl=ydl"));
  ASSERT_TRUE(made.environment);
  const auto& folders = made.environment->packed.folders;
  ASSERT_EQ(folders.size(), 2U);
  EXPECT_EQ(folders[0].name, ".ydl-python-env");
  EXPECT_EQ(folders[1].name, ".ydl-python-packages");
  EXPECT_EQ(folders[1].bytes, 5U);
  EXPECT_EQ(folders[0].hash, made.items[1].sha256);
  EXPECT_EQ(made.environment->layers[1].source, "scipy");
  fs::remove_all(venv);  // its key is known: nothing is read again
  EXPECT_EQ(plan().value().environment->packed.folders[0].hash, folders[0].hash);
}

TEST_F(Plan, hashes_are_remembered_once_files_have_settled) {
  write(job_directory / "train.py", "print()");
  const auto file = dir.path() / "hashes";
  const auto later = core::wall_now() + core::Seconds(60);
  HashMemory memory(file, later);
  auto first = plan().value();
  ASSERT_TRUE(hash_items(first, memory, core::wall_now()));  // just written: not remembered
  EXPECT_FALSE(memory.find("file:" + std::get<StagingItem::File>(first.items.at(0).content).stamp.key()));
  ASSERT_TRUE(hash_items(first, memory, later));
  fs::remove(job_directory / "train.py");  // what is remembered needs no reading
  auto second = first;
  for (auto& item : second.items) item.sha256.clear();
  ASSERT_TRUE(hash_items(second, memory, later));
  EXPECT_EQ(second.items.at(1).sha256, first.items.at(1).sha256);
}

TEST_F(Plan, reading_ends_when_it_is_interrupted) {
  write(job_directory / "train.py", "print()");
  auto made = plan().value();
  const auto now = core::wall_now();
  HashMemory memory(dir.path() / "hashes", now);
  std::stop_source source;
  source.request_stop();
  const auto hashed = hash_items(made, memory, now, source.get_token());
  ASSERT_FALSE(hashed);
  EXPECT_EQ(hashed.error().code, core::Errc::cancelled);
}

TEST(CacheName, needs_no_quoting_and_is_not_hidden) {
  EXPECT_EQ(cache_name("/a/weights.bin"), "weights.bin");
  EXPECT_EQ(cache_name("/a/my file'$.txt"), "my_file__.txt");
  EXPECT_EQ(cache_name("/a/.hidden"), "_.hidden");
  EXPECT_EQ(cache_name("/a/data", ".tar"), "data.tar");
}

TEST(Replicas, grow_with_the_cluster_within_bounds) {
  EXPECT_EQ(replicas_for(1, 3, 512), 3U);
  EXPECT_EQ(replicas_for(30, 3, 512), 6U);
  EXPECT_EQ(replicas_for(5'000, 3, 512), 10U);
  EXPECT_EQ(replicas_for(5'000, 3, 4), 4U);
  EXPECT_EQ(replicas_for(0, 1, 512), 1U);
}

}  // namespace
}  // namespace ydl::backend

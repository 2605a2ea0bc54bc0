#include "client/upload_size.hpp"

#include "client/env/archives.hpp"
#include "core/files.hpp"
#include "spec/rules.hpp"
#include "support/temp_dir.hpp"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::client {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class UploadSizeTest : public testing::Test {
 protected:
  UploadSizeTest() {
    job.directory = dir.path() / "job";
    put("job/train.py", 10);
    put("job/model/net.py", 20);
  }

  void put(const std::string& name, std::size_t size) const {
    fs::create_directories((dir.path() / name).parent_path());
    EXPECT_TRUE(core::write_file_atomically(dir.path() / name, std::string(size, 'x')));
  }
  [[nodiscard]] std::string measured() const { return describe(measure_upload(job, kEverything)); }

  test::TempDir dir;
  spec::JobSpec job;
};

TEST_F(UploadSizeTest, the_directory_is_counted_with_all_that_is_below_it) {
  EXPECT_EQ(measured(), "2 files, 30 B");
}

TEST_F(UploadSizeTest, what_ydlignore_names_and_what_git_keeps_stay_at_home) {
  put("job/data/train.bin", 5000);
  put("job/.git/objects/1", 5000);
  put("job/__pycache__/a.pyc", 5000);
  put("job/.ydlignore", 0);
  ASSERT_TRUE(core::write_file_atomically(dir.path() / "job/.ydlignore", "data\n"));
  EXPECT_EQ(measured(), "3 files, 35 B");
}

TEST_F(UploadSizeTest, named_files_and_archives_are_counted_without_the_directory_too) {
  put("elsewhere/a", 100);
  put("elsewhere/b.zip", 1000);
  job.files.push_back({"../elsewhere/a", ""});
  job.archives.push_back({"../elsewhere/b.zip", "b"});
  job.files.push_back({"../elsewhere/missing", ""});
  job.auto_files = false;
  EXPECT_EQ(measured(), "2 files, 1.1 KiB");
}

TEST_F(UploadSizeTest, counting_ends_when_it_is_enough) {
  for (int i = 0; i < 50; ++i) put("job/many/" + std::to_string(i), 10);
  EXPECT_LT(measure_upload(job, {100, 1000}).bytes, 130);
  EXPECT_LE(measure_upload(job, {100'000, 10}).files, 10U);
}

TEST_F(UploadSizeTest, a_limit_that_was_given_is_held) {
  job.files_limit = 30;
  EXPECT_EQ(check_upload_size(job), "");
  job.files_limit = 29;
  EXPECT_THAT(check_upload_size(job).error().message,
              testing::AllOf(HasSubstr("the files of the job have more than 29 B"), HasSubstr(".ydlignore"),
                             HasSubstr("raise the limit")));
}

TEST_F(UploadSizeTest, the_default_limit_is_a_note_where_nothing_is_copied) {
  EXPECT_EQ(check_upload_size(job), "");
  fs::resize_file(dir.path() / "job/train.py", spec::kDefaultFilesLimit + 1);  // a hole: it takes no space
  EXPECT_THAT(*check_upload_size(job),
              testing::AllOf(HasSubstr("more than 1 GiB"), HasSubstr("a cluster would refuse")));
}

TEST(Archives, their_names_tell_how_to_unpack_them) {
  EXPECT_THAT(*unpack_command("/d/a.tar.gz"), ElementsAre("tar", "-xf", "/d/a.tar.gz"));
  EXPECT_THAT(*unpack_command("/d/a.tgz"), ElementsAre("tar", "-xf", "/d/a.tgz"));
  EXPECT_THAT(*unpack_command("/d/a.zip"), ElementsAre("unzip", "-q", "-o", "/d/a.zip"));
  EXPECT_THAT(unpack_command("/d/a.rar").error().message, HasSubstr("the suffix is not that of an archive"));
}

}  // namespace
}  // namespace ydl::client

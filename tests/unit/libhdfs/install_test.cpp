#include "libhdfs/install.hpp"

#include "core/files.hpp"
#include "libhdfs/configuration.hpp"
#include "support/temp_dir.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace ydl::libhdfs {
namespace {

namespace fs = std::filesystem;

TEST(InstallLibrary, the_folder_is_a_hadoop_home_that_only_its_owner_can_enter) {
  const test::TempDir root;
  const auto folder = install_library(root.path(), "/opt/ydl");
  ASSERT_TRUE(folder) << folder.error().message;
  EXPECT_EQ(*core::read_file(*folder / "lib/native/libhdfs.so"), library());
  EXPECT_EQ(fs::read_symlink(*folder / "bin/ydl"), "/opt/ydl");
  EXPECT_TRUE(fs::exists(*folder / "java/lib/server/libjvm.so"));
  EXPECT_EQ(fs::status(*folder).permissions(), fs::perms::owner_all);
  EXPECT_TRUE(
      library().starts_with("\x7f"
                            "ELF"));
}

TEST(InstallLibrary, a_second_call_changes_nothing_and_repairs_what_was_changed) {
  const test::TempDir root;
  const auto folder = install_library(root.path(), "/opt/ydl");
  const auto file = *folder / "lib/native/libhdfs.so";
  struct stat before{};
  ASSERT_EQ(::stat(file.c_str(), &before), 0);
  EXPECT_EQ(*install_library(root.path(), "/opt/ydl"), *folder);
  struct stat after{};
  ASSERT_EQ(::stat(file.c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  std::ofstream(file) << "changed";
  EXPECT_TRUE(install_library(root.path(), "/opt/ydl"));
  EXPECT_EQ(*core::read_file(file), library());
}

TEST(InstallLibrary, two_programs_have_two_folders) {
  const test::TempDir root;
  EXPECT_NE(*install_library(root.path(), "/opt/ydl"), *install_library(root.path(), "/home/ann/ydl"));
}

TEST(HelperConfiguration, the_file_of_an_agent_has_user_and_keys) {
  const test::TempDir root;
  const auto file = root.path() / "hadoop.json";
  ASSERT_TRUE(core::write_file_atomically(file, encode_configuration("ann", {{"fs.defaultFS", "hdfs://ns"}}), 0600));
  const auto found = find_configuration([&](const char* name) -> std::optional<std::string> {
    if (std::string_view(name) == kConfigVariable) return file.string();
    return std::nullopt;
  });
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->user, "ann");
  EXPECT_EQ(found->config.get("fs.defaultFS"), "hdfs://ns");
}

TEST(HelperConfiguration, a_missing_or_damaged_file_is_named) {
  const test::TempDir root;
  const auto file = root.path() / "hadoop.json";
  const auto getenv = [&](const char* name) -> std::optional<std::string> {
    if (std::string_view(name) == kConfigVariable) return file.string();
    return std::nullopt;
  };
  EXPECT_NE(find_configuration(getenv).error().message.find("hadoop.json"), std::string::npos);
  std::ofstream(file) << "{";
  EXPECT_NE(find_configuration(getenv).error().message.find("hadoop.json"), std::string::npos);
}

}  // namespace
}  // namespace ydl::libhdfs

#include "agent/files/node_environments.hpp"

#include "agent/files/node_glibc.hpp"
#include "core/files.hpp"
#include "core/sha256.hpp"
#include "files/zstd_stream.hpp"
#include "support/temp_dir.hpp"

#include <atomic>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string tar_of(std::string_view name, std::string_view content) {
  std::string block(512, '\0');
  std::copy(name.begin(), name.end(), block.begin());
  const auto put = [&](std::size_t at, const std::string& text) { block.replace(at, text.size(), text); };
  put(100, "0000644");
  put(124, fmt::format("{:011o}", content.size()));
  put(148, "        ");
  block[156] = '0';
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  put(148, fmt::format("{:06o}", sum));
  block[154] = '\0';
  block += content;
  block.append((512 - content.size() % 512) % 512 + 1024, '\0');
  return block;
}

class NodeEnvironments : public testing::Test {
 protected:
  NodeEnvironments() {
    for (const auto& path : {user, container}) fs::create_directories(path);
    ::chmod(user.c_str(), 0750);
    options = {.user_folders = {user}, .own_folder = container, .boot = "boot-1"};
  }

  [[nodiscard]] protocol::PackedFolder packed(const std::string& content) const {
    std::string bytes;
    files::ZstdWriter writer(
        [&](std::string_view piece) -> core::Result<void> {
          bytes += piece;
          return {};
        },
        1);
    EXPECT_TRUE(writer.write(tar_of("module.py", content)) && writer.finish());
    core::Sha256 hash;
    hash.add(bytes);
    const auto name = hash.hex();
    const auto path = dir.path() / name;
    EXPECT_TRUE(core::write_file_atomically(path, bytes));
    return {.archive = path.string(),
            .hash = name,
            .name = ".env",
            .bytes = content.size(),
            .files = 1,
            .glibc = {},
            .packages_glibc = {}};
  }
  core::Result<UnpackedFolder> unpack(const protocol::PackedFolder& folder) const {
    return unpack_on_node(folder, options, {});
  }
  [[nodiscard]] fs::path root() const { return user / "ydl-environments"; }

  test::TempDir dir;
  fs::path user = dir.path() / "disk/usercache/ann";
  fs::path container = dir.path() / "container";
  NodeEnvironmentsOptions options;
};

TEST_F(NodeEnvironments, the_second_container_finds_what_the_first_has_unpacked) {
  const auto folder = packed("x = 1");
  const auto first = unpack(folder);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_FALSE(first->was_there);
  EXPECT_EQ(first->path, root() / folder.hash);
  EXPECT_EQ(core::read_file(first->path / "module.py"), "x = 1");
  fs::remove(folder.archive);  // the second one needs no archive
  const auto second = unpack(folder);
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->was_there);
}

TEST_F(NodeEnvironments, containers_that_start_together_unpack_once) {
  const auto folder = packed(std::string(1 << 20U, 'x'));
  std::atomic<int> unpacked = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        const auto one = unpack(folder);
        EXPECT_TRUE(one && fs::file_size(one->path / "module.py") == 1U << 20U);
        unpacked += one && !one->was_there ? 1 : 0;
      });
    }
  }
  // A thread that waited for the exclusive lock and then finds a complete folder did not unpack either.
  EXPECT_GE(unpacked, 1);
  EXPECT_EQ(std::distance(fs::directory_iterator(root()), {}), 2) << "the folder and its lock";
}

TEST_F(NodeEnvironments, what_a_killed_agent_has_left_is_not_used) {
  const auto folder = packed("x = 1");
  ASSERT_TRUE(unpack(folder));
  // It was killed after the rename and before the folder was recorded as complete.
  fs::resize_file(root() / (folder.hash + ".lock"), 0);
  fs::remove(root() / folder.hash / "module.py");
  const auto half = root() / ("." + folder.hash + ".1234");
  fs::create_directory(half);
  const auto again = unpack(folder);
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->was_there);
  EXPECT_TRUE(fs::exists(again->path / "module.py"));
  EXPECT_FALSE(fs::exists(half));
}

TEST_F(NodeEnvironments, after_a_restart_of_the_host_it_is_unpacked_again) {
  const auto folder = packed("x = 1");
  ASSERT_TRUE(unpack(folder));
  options.boot = "boot-2";
  const auto again = unpack(folder);
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->was_there) << "a power failure leaves empty files";
}

TEST_F(NodeEnvironments, a_folder_that_others_can_write_to_is_not_used) {
  const auto folder = packed("x = 1");
  ::chmod(user.c_str(), 0777);
  const auto outside = unpack(folder);
  ASSERT_TRUE(outside);
  EXPECT_EQ(outside->path, container / "ydl-environments" / folder.hash);
  ::chmod(user.c_str(), 0750);
  fs::create_directory(dir.path() / "planted");
  fs::create_directory_symlink(dir.path() / "planted", root());
  EXPECT_EQ(unpack(folder)->path, container / "ydl-environments" / folder.hash);
  EXPECT_TRUE(fs::is_empty(dir.path() / "planted"));
}

TEST_F(NodeEnvironments, the_longest_unused_folders_make_space) {
  const auto oldest = packed("a");
  const auto used = packed("b");
  ASSERT_TRUE(unpack(oldest));
  const auto held = unpack(used);
  options.most_bytes = 1;
  const auto newest = unpack(packed("c"));
  ASSERT_TRUE(newest);
  EXPECT_FALSE(fs::exists(root() / oldest.hash));
  EXPECT_FALSE(fs::exists(root() / (oldest.hash + ".lock")));
  EXPECT_TRUE(fs::exists(root() / used.hash)) << "a running task uses it";
}

TEST_F(NodeEnvironments, a_damaged_archive_is_an_error_and_leaves_nothing) {
  const auto folder = packed("x = 1");
  fs::resize_file(folder.archive, fs::file_size(folder.archive) - 3);
  const auto unpacked = unpack(folder);
  ASSERT_FALSE(unpacked);
  EXPECT_EQ(unpacked.error().code, core::Errc::corrupt);
  EXPECT_EQ(std::distance(fs::directory_iterator(root()), {}), 1) << "only the lock";
}

TEST_F(NodeEnvironments, an_archive_that_is_larger_than_announced_is_an_error) {
  auto folder = packed("x = 1");
  folder.bytes = 2;
  EXPECT_FALSE(unpack(folder));
}

TEST_F(NodeEnvironments, a_disk_without_space_is_named) {
  auto folder = packed("x = 1");
  folder.bytes = std::uint64_t{1} << 60U;
  const auto unpacked = unpack(folder);
  ASSERT_FALSE(unpacked);
  EXPECT_EQ(unpacked.error().code, core::Errc::no_capacity);
  EXPECT_THAT(unpacked.error().message, HasSubstr("the Python environment needs"));
}

TEST_F(NodeEnvironments, a_container_waits_for_another_one_only_for_a_time) {
  const auto folder = packed("x = 1");
  options.patience = core::Millis(1);
  options.own_folder = "/proc";  // nothing can be written there
  fs::create_directory(root());
  ::chmod(root().c_str(), 0700);
  const core::UniqueFd lock(::open((root() / (folder.hash + ".lock")).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::flock(lock.get(), LOCK_EX), 0);
  EXPECT_EQ(unpack(folder).error().code, core::Errc::timeout);
}

TEST(NodeEnvironmentsHere, the_folders_of_the_user_are_found_by_their_path) {
  const auto options = node_environments_here(
      [](const char* name) -> std::optional<std::string> {
        if (std::string_view(name) != "LOCAL_DIRS") return std::nullopt;
        return "/d2/nm/usercache/ann/appcache/application_1_1,/d1/usercache/ann/appcache/application_1_1,/tmp/x";
      },
      "/c");
  EXPECT_THAT(options.user_folders, testing::ElementsAre("/d1/usercache/ann", "/d2/nm/usercache/ann"));
  EXPECT_FALSE(options.boot.empty());
}

TEST(NodeGlibc, the_newest_version_in_the_file_counts) {
  EXPECT_EQ(newest_glibc(std::string_view("GLIBC_2.2.5\0GLIBC_2.9\0GLIBC_2.36\0GLIBC_PRIVATE\0", 46)), "2.36");
  EXPECT_EQ(newest_glibc(""), "");
  EXPECT_FALSE(node_glibc("/").empty());
}

TEST(NodeGlibc, an_interpreter_that_cannot_start_is_an_error_and_a_package_a_note) {
  const auto needs = [](std::string interpreter, std::string packages) {
    return std::vector{protocol::PackedFolder{.archive = "",
                                              .hash = "",
                                              .name = "",
                                              .bytes = 0,
                                              .files = 0,
                                              .glibc = std::move(interpreter),
                                              .packages_glibc = std::move(packages)}};
  };
  EXPECT_THAT(check_glibc(needs("2.36", ""), "2.28").error, HasSubstr("needs glibc 2.36, and this host has 2.28"));
  EXPECT_TRUE(check_glibc(needs("2.9", "2.17"), "2.17").error.empty());
  EXPECT_TRUE(check_glibc(needs("2.9", "2.17"), "2.17").note.empty());
  EXPECT_THAT(check_glibc(needs("2.17", "2.28"), "2.17").note, HasSubstr("needs glibc 2.28"));
  EXPECT_TRUE(check_glibc(needs("2.36", "2.36"), "").error.empty()) << "unknown";
}

}  // namespace
}  // namespace ydl::agent

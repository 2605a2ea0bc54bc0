// Copies to a name that the user gave: new files, existing files, pipes.
#include "cli/fs/local_target.hpp"

#include "cli/fs/copy_tree.hpp"
#include "support/loop.hpp"
#include "support/temp_dir.hpp"

#include <fcntl.h>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ydl::cli {
namespace {

namespace fs = std::filesystem;
using hdfs::Overwrite;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LocalTargetTest : public testing::Test {
 protected:
  core::Result<> copy(const fs::path& to, std::string bytes, Overwrite overwrite) {
    LocalTarget target(loop_.executor(), to.string(), overwrite);
    return loop_.run([](LocalTarget& into, std::string text) -> net::Async<> {
      if (auto opened = co_await into.open(); !opened) co_return opened;
      if (auto written = co_await into.write(text); !written) co_return written;
      co_return into.finish();
    }(target, std::move(bytes)));
  }
  std::string content(const fs::path& path) { return core::read_file(path).value_or("?"); }
  std::vector<std::string> names() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(dir_.path())) names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
  }
  // A pipe with a reader that does not block.
  core::UniqueFd make_fifo(const fs::path& path) {
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    return core::UniqueFd(::open(path.c_str(), O_RDONLY | O_NONBLOCK));
  }

  test::TempDir dir_;
  test::Loop loop_;
};

TEST_F(LocalTargetTest, a_new_file_gets_its_name_when_it_is_whole) {
  LocalTarget target(loop_.executor(), (dir_.path() / "f").string(), Overwrite::no);
  ASSERT_TRUE(loop_.run(target.open()));
  ASSERT_TRUE(loop_.run(target.write("abc")));
  EXPECT_FALSE(fs::exists(dir_.path() / "f"));
  ASSERT_TRUE(target.finish());
  EXPECT_THAT(names(), ElementsAre("f"));
  EXPECT_EQ(content(dir_.path() / "f"), "abc");
}

TEST_F(LocalTargetTest, what_is_not_finished_leaves_nothing) {
  {
    LocalTarget target(loop_.executor(), (dir_.path() / "f").string(), Overwrite::no);
    ASSERT_TRUE(loop_.run(target.open()));
    ASSERT_TRUE(loop_.run(target.write("abc")));
  }
  EXPECT_THAT(names(), ElementsAre());
}

TEST_F(LocalTargetTest, a_file_that_is_there_is_replaced_only_on_request) {
  ASSERT_TRUE(core::write_file_atomically(dir_.path() / "f", "old"));
  const auto refused = copy(dir_.path() / "f", "new", Overwrite::no);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::Errc::exists);
  EXPECT_THAT(refused.error().message, HasSubstr("/f already exists on this machine; replace it with -f"));
  EXPECT_EQ(content(dir_.path() / "f"), "old");
  ASSERT_TRUE(copy(dir_.path() / "f", "new", Overwrite::yes));
  EXPECT_EQ(content(dir_.path() / "f"), "new");
  EXPECT_THAT(names(), ElementsAre("f"));
}

TEST_F(LocalTargetTest, a_file_that_is_created_in_the_meantime_is_kept) {
  LocalTarget target(loop_.executor(), (dir_.path() / "f").string(), Overwrite::no);
  ASSERT_TRUE(loop_.run(target.open()));
  ASSERT_TRUE(core::write_file_atomically(dir_.path() / "f", "theirs"));
  const auto finished = target.finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code, core::Errc::exists);
  EXPECT_EQ(content(dir_.path() / "f"), "theirs");
}

TEST_F(LocalTargetTest, a_pipe_gets_the_bytes_and_stays_a_pipe) {
  for (const auto overwrite : {Overwrite::no, Overwrite::yes}) {
    const auto path = dir_.path() / (overwrite == Overwrite::no ? "one" : "two");
    const auto reader = make_fifo(path);
    ASSERT_TRUE(copy(path, "abc", overwrite));
    std::array<char, 16> buffer{};
    EXPECT_EQ(::read(reader.get(), buffer.data(), buffer.size()), 3);
    EXPECT_TRUE(fs::is_fifo(path));
  }
  EXPECT_THAT(names(), ElementsAre("one", "two"));
}

TEST_F(LocalTargetTest, a_pipe_without_a_reader_is_waited_for_until_it_is_stopped) {
  const auto path = dir_.path() / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  LocalTarget target(loop_.executor(), path.string(), Overwrite::no);
  std::optional<core::Result<>> opened;
  loop_.spawn([](LocalTarget& into, std::optional<core::Result<>>& done) -> net::awaitable<void> {
    done = co_await into.open();
  }(target, opened));
  loop_.settle();
  EXPECT_FALSE(opened);
  target.stop();
  ASSERT_TRUE(loop_.until([&] { return opened.has_value(); }));
  EXPECT_EQ(opened->error().code, core::Errc::cancelled);
}

TEST_F(LocalTargetTest, a_full_pipe_is_waited_for_until_it_is_stopped) {
  const auto path = dir_.path() / "pipe";
  const auto reader = make_fifo(path);
  LocalTarget target(loop_.executor(), path.string(), Overwrite::no);
  ASSERT_TRUE(loop_.run(target.open()));
  const std::string much(std::size_t{1} << 20U, 'x');
  std::optional<core::Result<>> written;
  loop_.spawn(
      [](LocalTarget& into, const std::string& text, std::optional<core::Result<>>& done) -> net::awaitable<void> {
        done = co_await into.write(text);
      }(target, much, written));
  loop_.settle();
  EXPECT_FALSE(written);
  target.stop();
  ASSERT_TRUE(loop_.until([&] { return written.has_value(); }));
  EXPECT_EQ(written->error().code, core::Errc::cancelled);
}

TEST_F(LocalTargetTest, a_link_stays_one_and_the_file_it_leads_to_is_replaced) {
  ASSERT_TRUE(core::write_file_atomically(dir_.path() / "f", "old"));
  fs::create_symlink("f", dir_.path() / "link");
  EXPECT_FALSE(copy(dir_.path() / "link", "new", Overwrite::no));
  ASSERT_TRUE(copy(dir_.path() / "link", "new", Overwrite::yes));
  EXPECT_TRUE(fs::is_symlink(dir_.path() / "link"));
  EXPECT_EQ(content(dir_.path() / "f"), "new");
}

// ---- whole folders -----------------------------------------------------------------------------------------------

class CopyTreeTest : public LocalTargetTest {
 protected:
  void SetUp() override {
    fs::create_directories(from_ / "deep");
    ASSERT_TRUE(core::write_file_atomically(from_ / "a", "new a"));
    ASSERT_TRUE(core::write_file_atomically(from_ / "deep/run.sh", "#!/bin/sh\n", 0755));
  }
  std::vector<std::string> copy_all(Overwrite overwrite) {
    std::vector<std::string> problems;
    auto report = [&](const core::Error& error) { problems.push_back(error.message); };
    const auto done = loop_.run(copy_tree(from_, to_, overwrite, report));
    if (!done) problems.push_back(done.error().message);
    return problems;
  }
  fs::path from_ = dir_.path() / "from";
  fs::path to_ = dir_.path() / "to";
};

TEST_F(CopyTreeTest, files_keep_their_modes) {
  EXPECT_THAT(copy_all(Overwrite::no), ElementsAre());
  EXPECT_EQ(content(to_ / "a"), "new a");
  EXPECT_EQ(fs::status(to_ / "deep/run.sh").permissions(), fs::perms(0755));
}

TEST_F(CopyTreeTest, a_file_that_is_there_is_named_and_the_others_are_copied) {
  fs::create_directories(to_);
  ASSERT_TRUE(core::write_file_atomically(to_ / "a", "old a"));
  EXPECT_THAT(copy_all(Overwrite::no), ElementsAre(HasSubstr("to/a already exists on this machine")));
  EXPECT_EQ(content(to_ / "a"), "old a");
  EXPECT_EQ(content(to_ / "deep/run.sh"), "#!/bin/sh\n");
  EXPECT_THAT(copy_all(Overwrite::yes), ElementsAre());
  EXPECT_EQ(content(to_ / "a"), "new a");
}

TEST_F(CopyTreeTest, links_are_copied_as_links_and_never_followed) {
  fs::create_directories(dir_.path() / "outside");
  ASSERT_TRUE(core::write_file_atomically(dir_.path() / "outside/secret", "s"));
  fs::create_directories(from_ / "other");
  fs::create_directory_symlink("../other", from_ / "deep/to_other");
  fs::create_directory_symlink("../deep", from_ / "other/to_deep");
  fs::create_directory_symlink(dir_.path() / "outside", from_ / "data");
  fs::create_symlink("self", from_ / "self");
  fs::create_symlink("a", from_ / "latest");
  EXPECT_THAT(copy_all(Overwrite::no), ElementsAre());
  EXPECT_EQ(fs::read_symlink(to_ / "deep/to_other"), "../other");
  EXPECT_EQ(fs::read_symlink(to_ / "other/to_deep"), "../deep");
  EXPECT_EQ(fs::read_symlink(to_ / "data"), dir_.path() / "outside");
  EXPECT_EQ(fs::read_symlink(to_ / "self"), "self");
  EXPECT_EQ(fs::read_symlink(to_ / "latest"), "a");
}

TEST_F(CopyTreeTest, a_link_replaces_what_is_there_only_when_asked) {
  fs::create_symlink("a", from_ / "latest");
  fs::create_directories(to_);
  ASSERT_TRUE(core::write_file_atomically(to_ / "latest", "old"));
  EXPECT_THAT(copy_all(Overwrite::no), ElementsAre(HasSubstr("to/latest already exists on this machine")));
  EXPECT_EQ(content(to_ / "latest"), "old");
  fs::remove(to_ / "a");
  EXPECT_THAT(copy_all(Overwrite::yes), ElementsAre());
  EXPECT_EQ(fs::read_symlink(to_ / "latest"), "a");
}

TEST_F(CopyTreeTest, pipes_and_sockets_are_left_out_and_named) {
  ASSERT_EQ(::mkfifo((from_ / "deep/pipe").c_str(), 0600), 0);
  EXPECT_THAT(copy_all(Overwrite::no), ElementsAre(HasSubstr("from/deep/pipe is a pipe, a socket or a device")));
  EXPECT_EQ(content(to_ / "a"), "new a");
  EXPECT_FALSE(fs::exists(to_ / "deep/pipe"));
}

TEST_F(CopyTreeTest, counts_what_it_copied_and_makes_no_folder_for_nothing) {
  const auto copied = loop_.run(copy_tree(from_, to_, Overwrite::no, [](const core::Error&) {}));
  ASSERT_TRUE(copied);
  EXPECT_EQ(copied->files, 2);
  EXPECT_EQ(copied->bytes, 15U);
  EXPECT_FALSE(loop_.run(copy_tree(from_ / "missing", dir_.path() / "none", Overwrite::no, [](const core::Error&) {})));
  EXPECT_FALSE(fs::exists(dir_.path() / "none"));
}

}  // namespace
}  // namespace ydl::cli

#include "net/child_process.hpp"

#include "core/descriptors.hpp"
#include "core/process_guard.hpp"
#include "support/loop.hpp"
#include "support/temp_dir.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::net {
namespace {

using ::testing::HasSubstr;

class ChildProcessTest : public testing::Test {
 protected:
  SpawnOptions shell(std::string script) {
    SpawnOptions options;
    options.executable = "/bin/sh";
    options.argv = {"sh", "-c", std::move(script)};
    options.log_file = dir_.path() / "log";
    return options;
  }
  int run(SpawnOptions options) {
    auto process = ChildProcess::spawn(std::move(options));
    if (!process) {
      ADD_FAILURE() << process.error().message;
      return -1;
    }
    return loop_.run(process->wait());
  }
  [[nodiscard]] std::string log() const { return core::read_file(dir_.path() / "log").value_or("no file"); }

  test::TempDir dir_;
  test::Loop loop_;
};

TEST_F(ChildProcessTest, its_end_comes_back) {
  const int status = run(shell("exit 7"));
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST_F(ChildProcessTest, a_signal_reaches_it) {
  auto process = ChildProcess::spawn(shell("exec sleep 60"));
  ASSERT_TRUE(process) << process.error().message;
  process->signal(SIGKILL);
  const int status = loop_.run(process->wait());
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  process->signal(SIGKILL);  // the id of a process that has ended must not hit another
}

TEST_F(ChildProcessTest, what_it_says_is_appended_to_the_log) {
  run(shell("echo out; echo err >&2"));
  run(shell("echo again"));
  EXPECT_EQ(log(), "out\nerr\nagain\n");
}

TEST_F(ChildProcessTest, it_runs_where_it_is_told_to) {
  auto options = shell("pwd -P");
  options.directory = "/";
  run(std::move(options));
  EXPECT_EQ(log(), "/\n");
}

TEST_F(ChildProcessTest, it_reads_what_it_is_given_or_nothing) {
  auto pipe = core::make_pipe();
  ASSERT_TRUE(pipe);
  auto options = shell("cat");
  options.standard_input = std::move(pipe->read);
  auto process = ChildProcess::spawn(std::move(options));
  ASSERT_TRUE(process);
  ASSERT_TRUE(core::write_all(pipe->write.get(), "hello"));
  pipe->write.reset();
  EXPECT_EQ(loop_.run(process->wait()), 0);
  EXPECT_EQ(run(shell("cat")), 0);
  EXPECT_EQ(log(), "hello");
}

TEST_F(ChildProcessTest, it_inherits_no_descriptor_and_no_ignored_signal) {
  const core::UniqueFd leak(::dup(STDOUT_FILENO));  // not close-on-exec
  ::signal(SIGUSR1, SIG_IGN);
  const int status = run(shell("kill -USR1 $$; exit 0"));
  ::signal(SIGUSR1, SIG_DFL);
  EXPECT_TRUE(WIFSIGNALED(status));
  run(shell("test -e /proc/self/fd/" + std::to_string(leak.get()) + " && echo leaked; echo done"));
  EXPECT_EQ(log(), "done\n");
}

TEST_F(ChildProcessTest, it_keeps_the_lock_of_a_descriptor_that_is_handed_over) {
  const auto file = dir_.path() / "lock";
  const auto open = [&] { return core::UniqueFd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)); };
  const auto other = open();
  const auto is_locked = [&] {
    struct flock lock{};
    lock.l_type = F_WRLCK;
    return ::fcntl(other.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  };
  auto options = shell("exec sleep 60");
  options.handed_over = open();
  struct flock lock{};
  lock.l_type = F_WRLCK;
  ASSERT_EQ(::fcntl(options.handed_over.get(), F_OFD_SETLK, &lock), 0);
  auto process = ChildProcess::spawn(std::move(options));
  ASSERT_TRUE(process) << process.error().message;
  EXPECT_TRUE(is_locked()) << "this process has closed it";
  process->signal(SIGKILL);
  (void)loop_.run(process->wait());
  EXPECT_FALSE(is_locked());
}

TEST_F(ChildProcessTest, it_leads_a_session_of_its_own) {
  run(shell("read -r _ _ _ _ _ session _ < /proc/$$/stat; test $session = $$ && echo own"));
  EXPECT_EQ(log(), "own\n");
}

TEST_F(ChildProcessTest, a_program_that_is_not_there_is_named) {
  auto options = shell("");
  options.executable = "/nowhere/ydl";
  const auto process = ChildProcess::spawn(std::move(options));
  ASSERT_FALSE(process);
  EXPECT_THAT(process.error().message, HasSubstr("cannot start /nowhere/ydl: No such file"));
}

TEST_F(ChildProcessTest, it_inherits_the_limit_of_descriptors_that_the_user_set_and_not_ours) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit usual{256, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &usual), 0);
  core::raise_descriptor_limit();
  EXPECT_EQ(core::descriptor_limit(), before.rlim_max);
  EXPECT_EQ(run(shell("ulimit -n")), 0);
  EXPECT_EQ(log(), "256\n");
  EXPECT_EQ(core::descriptor_limit(), before.rlim_max) << "ours is not raised again";
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST_F(ChildProcessTest, it_inherits_the_umask_and_the_limit_of_cores_that_the_user_set_and_not_ours) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_CORE, &before), 0);
  const rlimit small{std::min<rlim_t>(before.rlim_max, 512 * 1024), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_CORE, &small), 0);
  const auto mask = ::umask(026);
  core::guard_memory();
  core::guard_files();
  rlimit guarded{};
  ASSERT_EQ(::getrlimit(RLIMIT_CORE, &guarded), 0);
  EXPECT_EQ(guarded.rlim_cur, 0U);
  EXPECT_EQ(::prctl(PR_GET_DUMPABLE), 0);
  EXPECT_EQ(run(shell("umask; ulimit -c")), 0);
  EXPECT_EQ(log(), fmt::format("0026\n{}\n", small.rlim_cur / 512));
  EXPECT_EQ(::umask(mask), 077U) << "ours is not closed again";
  ::prctl(PR_SET_DUMPABLE, 1);
  ASSERT_EQ(::setrlimit(RLIMIT_CORE, &before), 0);
}

// Other threads open files and make folders meanwhile.
TEST_F(ChildProcessTest, starting_one_changes_neither_the_limits_nor_the_umask_of_this_process) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit usual{256, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &usual), 0);
  const auto mask = ::umask(026);
  core::raise_descriptor_limit();
  core::guard_files();
  std::atomic<bool> changed = false;
  {
    const std::jthread watcher([&changed, &before](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        const auto status = core::read_file("/proc/self/status").value_or("");
        if (core::descriptor_limit() != before.rlim_max || status.find("Umask:\t0077") == std::string::npos)
          changed = true;
      }
    });
    const std::jthread other([this] {
      for (int i = 0; i < 50; ++i) ASSERT_TRUE(ChildProcess::spawn(shell("exit 0")));
    });
    for (int i = 0; i < 50; ++i) EXPECT_EQ(run(shell("exit 0")), 0);
  }
  EXPECT_FALSE(changed);
  EXPECT_EQ(core::descriptor_limit(), before.rlim_max);
  EXPECT_EQ(::umask(mask), 077U);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

}  // namespace
}  // namespace ydl::net

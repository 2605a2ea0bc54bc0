// Starting tasks: what they find, how they end, and what is said when they cannot start.
#include "process/task_fixture.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace ydl::agent {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(TaskTest, the_exit_code_is_reported) {
  auto task = launched(request({"sh", "-c", "exit 3"}));
  const auto ended = expect<Ended>(task);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->exit_code, 3);
  EXPECT_EQ(ended->signal, 0);
  EXPECT_EQ(ended->leftovers_killed, 0);
  EXPECT_GT(ended->peak_rss_bytes, 0U);
  EXPECT_TRUE(task.finished());
  EXPECT_FALSE(task.read_event());
}

TEST_F(TaskTest, the_signal_that_ended_it_is_reported) {
  auto task = launched(request({"sh", "-c", "kill -SEGV $$"}));
  const auto ended = expect<Ended>(task);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->signal, SIGSEGV);
}

TEST_F(TaskTest, it_runs_in_its_directory_with_exactly_its_environment) {
  auto wanted = request({"sh", "-c", "pwd; env | sort; umask"});
  wanted.environment = {{"PATH", "/usr/bin:/bin"}, {"ROLE", "worker"}};
  const mode_t before = ::umask(027);
  auto task = launched(std::move(wanted));
  ::umask(before);
  ASSERT_TRUE(expect<Ended>(task));
  const auto pwd = dir_.path().string();
  EXPECT_EQ(output(), pwd + "\nPATH=/usr/bin:/bin\nPWD=" + pwd + "\nROLE=worker\n0027\n");
}

// A NodeManager reads its containers' logs as their group.
TEST_F(TaskTest, it_has_the_umask_of_its_user_and_its_logs_are_for_its_group) {
  auto wanted = request({"sh", "-c", "umask; ulimit -c"});
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_CORE, &limit), 0);
  limit.rlim_cur = 0;
  wanted.limits.push_back({RLIMIT_CORE, limit});
  wanted.umask = 02;
  const auto before = ::umask(077);
  auto task = launched(std::move(wanted));
  ASSERT_TRUE(expect<Ended>(task));
  ::umask(before);
  EXPECT_EQ(output(), "0002\n0\n");
  struct stat log{};
  ASSERT_EQ(::stat((dir_.path() / "stdout").c_str(), &log), 0);
  EXPECT_EQ(log.st_mode & 0777U, 0640U);
}

TEST_F(TaskTest, logs_are_appended_to_and_standard_input_is_empty) {
  for (int i = 0; i < 2; ++i) {
    auto task = launched(request({"sh", "-c", "cat; echo out; echo err >&2"}));
    const auto ended = expect<Ended>(task);
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->exit_code, 0);
  }
  EXPECT_EQ(output(), "out\nout\n");
  EXPECT_EQ(core::read_file(dir_.path() / "stderr"), "err\nerr\n");
}

TEST_F(TaskTest, one_file_can_take_both_streams) {
  auto wanted = request({"sh", "-c", "echo out; echo err >&2; echo out"});
  wanted.stderr_file = wanted.stdout_file;
  auto task = launched(std::move(wanted));
  ASSERT_TRUE(expect<Ended>(task));
  EXPECT_EQ(output(), "out\nerr\nout\n");
}

TEST_F(TaskTest, it_sees_no_descriptor_but_the_standard_ones) {
  const core::UniqueFd leaked(::open("/dev/null", O_RDONLY));  // not close-on-exec
  ASSERT_TRUE(leaked);
  auto other = launched(request({"sleep", "60"}));
  auto task = launched(unruly("fds"));
  ASSERT_TRUE(expect<Ended>(task));
  EXPECT_EQ(output(), "0 1 2 ");
}

// libc refuses to change these two itself; a parent with another libc need not have left them alone.
void ignore_by_system_call(int signal) {
  struct {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)();
    std::uint64_t mask;
  } const ignored{SIG_IGN, 0, nullptr, 0};
  ASSERT_EQ(::syscall(SYS_rt_sigaction, signal, &ignored, nullptr, sizeof(ignored.mask)), 0);
}

TEST_F(TaskTest, signals_have_their_default_meaning_in_it) {
  ::signal(SIGPIPE, SIG_IGN);
  for (const int of_libc : {32, 33}) ignore_by_system_call(of_libc);
  sigset_t blocked;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGUSR1);
  ::sigprocmask(SIG_BLOCK, &blocked, nullptr);
  auto task = launched(request({"grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"}));
  ASSERT_TRUE(expect<Ended>(task));
  EXPECT_EQ(output(), "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
  sigset_t now;
  ::sigprocmask(SIG_UNBLOCK, &blocked, &now);
  EXPECT_EQ(::sigismember(&now, SIGUSR1), 1) << "the agent's own mask changed";
  EXPECT_EQ(::sigismember(&now, SIGTERM), 0);
  ::signal(SIGPIPE, SIG_DFL);
}

TEST_F(TaskTest, resource_limits_are_set) {
  auto wanted = request({"sh", "-c", "ulimit -n"});
  wanted.limits = {{RLIMIT_NOFILE, {77, 77}}};
  auto task = launched(std::move(wanted));
  ASSERT_TRUE(expect<Ended>(task));
  EXPECT_EQ(output(), "77\n");
}

TEST_F(TaskTest, its_group_is_its_own_or_the_agents_as_asked) {
  for (const bool own : {true, false}) {
    auto wanted = unruly("trap-term");
    wanted.own_group = own;
    auto task = launched(std::move(wanted));
    const auto pid = roll_.next("main");
    ASSERT_TRUE(pid);
    EXPECT_EQ(::getpgid(*pid), own ? *pid : ::getpgrp());
    // The reaper must outlive a signal to the agent's group.
    EXPECT_EQ(::getpgid(task.reaper_pid()), task.reaper_pid());
  }
}

TEST_F(TaskTest, a_script_without_a_first_line_runs_in_the_shell) {
  ASSERT_TRUE(core::write_file_atomically(dir_.path() / "plain", "echo shell $1\n", 0755));
  auto task = launched(request({"./plain", "x"}));
  ASSERT_TRUE(expect<Ended>(task));
  EXPECT_EQ(output(), "shell x\n");
}

TEST_F(TaskTest, an_unknown_command_is_named_with_the_path_searched) {
  EXPECT_THAT(failure_of(request({"pythn", "train.py"})),
              AllOf(HasSubstr("the command 'pythn' was not found"), HasSubstr("PATH=/usr/bin:/bin")));
  auto no_path = request({"pythn"});
  no_path.environment.clear();
  EXPECT_THAT(failure_of(no_path), HasSubstr("the default PATH=/bin:/usr/bin"));
  EXPECT_THAT(failure_of(request({"./train"})),
              AllOf(HasSubstr("'./train' does not exist"), HasSubstr(dir_.path().string())));
}

TEST_F(TaskTest, a_long_path_is_not_repeated_in_full) {
  auto wanted = request({"pythn"});
  wanted.environment["PATH"] = "/usr/bin:/bin";
  for (int i = 0; i < 50; ++i) wanted.environment["PATH"] += ":/opt/some/long/folder";
  const auto sentence = failure_of(wanted);
  EXPECT_THAT(sentence, AllOf(HasSubstr("PATH=/usr/bin:/bin:/opt"), HasSubstr("and 4")));
  EXPECT_LT(sentence.size(), 300U);
}

TEST_F(TaskTest, a_file_that_is_not_executable_is_named_with_the_remedy) {
  ASSERT_TRUE(core::write_file_atomically(dir_.path() / "train.py", "print()\n", 0644));
  EXPECT_THAT(failure_of(request({"./train.py"})),
              AllOf(HasSubstr("./train.py is not executable"), HasSubstr("chmod +x ./train.py"),
                    Not(HasSubstr(dir_.path().string()))))
      << "the file in the task's own folder is not the user's";
  EXPECT_THAT(failure_of(request({"/tmp"})), HasSubstr("is a directory"));
}

TEST_F(TaskTest, a_missing_interpreter_is_named) {
  const auto sentence_for = [&](std::string_view content) {
    EXPECT_TRUE(core::write_file_atomically(dir_.path() / "train.py", content, 0755));
    return failure_of(request({"./train.py"}));
  };
  EXPECT_THAT(sentence_for("#!/opt/pyton3\n"), HasSubstr("names the interpreter '/opt/pyton3'"));
  EXPECT_THAT(sentence_for("#!/usr/bin/env pythn\n"),
              AllOf(HasSubstr("'pythn'"), HasSubstr("not found in PATH=/usr/bin:/bin")));
  EXPECT_THAT(sentence_for("#!/usr/bin/env sh -u\n"), HasSubstr("#!/usr/bin/env -S sh -u"));
  EXPECT_THAT(sentence_for("#!/bin/sh\r\necho\r\n"), HasSubstr("Windows line ends"));
}

TEST_F(TaskTest, a_program_for_another_machine_is_told_from_a_script) {
  ASSERT_TRUE(core::write_file_atomically(dir_.path() / "alien", std::string("\177ELF") + std::string(60, '\7'), 0755));
  EXPECT_THAT(failure_of(request({"./alien"})), HasSubstr("is not a program for this machine"));
}

TEST_F(TaskTest, a_missing_working_directory_is_named) {
  auto wanted = request({"true"});
  wanted.working_directory = dir_.path() / "gone";
  EXPECT_THAT(failure_of(wanted), HasSubstr("gone does not exist"));
  wanted.working_directory = dir_.path() / "roll";
  EXPECT_THAT(failure_of(wanted), HasSubstr("roll is not a directory"));
}

TEST_F(TaskTest, a_log_file_that_cannot_be_opened_is_named) {
  auto wanted = request({"true"});
  wanted.stderr_file = dir_.path() / "no" / "stderr";
  EXPECT_THAT(failure_of(wanted), AllOf(HasSubstr("cannot open the log file"), HasSubstr("no/stderr")));
}

TEST_F(TaskTest, a_cgroup_that_cannot_be_entered_is_named) {
  auto wanted = request({"true"});
  wanted.cgroups = {dir_.path() / "ydl-j-worker-0-1"};
  EXPECT_THAT(failure_of(wanted), AllOf(HasSubstr("cannot enter the cgroup"), HasSubstr("ydl-j-worker-0-1")));
}

TEST_F(TaskTest, a_request_that_no_system_could_run_is_refused_at_once) {
  EXPECT_THAT(failure_of(request({})), HasSubstr("no command"));
  EXPECT_THAT(failure_of(request({"a", std::string("b\0c", 3)})), HasSubstr("zero byte"));
  auto wanted = request({"true"});
  wanted.environment["A=B"] = "x";
  EXPECT_THAT(failure_of(wanted), HasSubstr("'A=B'"));
}

TEST_F(TaskTest, too_long_an_argument_is_explained) {
  EXPECT_THAT(failure_of(request({"true", std::string(std::size_t{4} << 20U, 'x')})), HasSubstr("longer than"));
}

TEST_F(TaskTest, sixty_four_tasks_are_launched_together) {
  std::vector<TaskProcess> tasks;
  for (int i = 0; i < 64; ++i) {
    auto task = TaskProcess::launch(request({"sh", "-c", "exit " + std::to_string(i)}));
    ASSERT_TRUE(task) << task.error().message;
    tasks.push_back(std::move(*task));
  }
  for (int i = 0; i < 64; ++i) {
    auto& task = tasks[static_cast<std::size_t>(i)];
    ASSERT_TRUE(expect<Launched>(task));
    const auto ended = expect<Ended>(task);
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->exit_code, i);
  }
}

}  // namespace
}  // namespace ydl::agent

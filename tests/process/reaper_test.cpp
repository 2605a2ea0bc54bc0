// Ending tasks: no process of them survives, whatever they do and whichever process dies first.
#include "process/task_fixture.hpp"

#include <cstdlib>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

namespace ydl::agent {
namespace {

using core::Millis;
using core::Seconds;
using test::Watched;

TEST_F(TaskTest, a_task_that_handles_sigterm_ends_in_its_own_way) {
  auto task = launched(unruly("trap-term"));
  ASSERT_TRUE(roll_.next("main"));
  task.stop(Seconds(60));
  const auto ended = expect<Ended>(task);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->exit_code, 0);
  EXPECT_EQ(ended->signal, 0);
}

TEST_F(TaskTest, a_task_that_ignores_sigterm_is_killed_after_the_grace) {
  auto task = launched(unruly("ignore-term"));
  ASSERT_TRUE(roll_.next("main"));
  const auto asked = core::steady_now();
  task.stop(Millis(100));
  const auto ended = expect<Ended>(task);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->signal, SIGKILL);
  EXPECT_GE(core::steady_now() - asked, Millis(99));
}

TEST_F(TaskTest, a_second_stop_can_only_shorten_the_grace) {
  auto task = launched(unruly("ignore-term"));
  ASSERT_TRUE(roll_.next("main"));
  task.stop(Seconds(3600));
  task.stop(Millis(0));
  // Commands the reaper does not live to read must not cost the report of the end.
  for (int i = 0; i < 50; ++i) task.stop(Seconds(3600));
  const auto ended = expect<Ended>(task);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->signal, SIGKILL);
}

TEST_F(TaskTest, sigterm_reaches_the_children_with_and_without_a_group) {
  for (const bool own : {true, false}) {
    auto wanted = unruly("child-traps-term");
    wanted.own_group = own;
    auto task = launched(std::move(wanted));
    const auto child = roll_.next("child");
    ASSERT_TRUE(child && roll_.next("main"));
    task.stop(Seconds(60));
    EXPECT_EQ(roll_.next("child-got-term"), child);
    const auto ended = expect<Ended>(task);
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->exit_code, 0);
  }
}

TEST_F(TaskTest, a_stopped_task_can_be_killed_and_can_be_asked_to_end) {
  auto task = launched(unruly("stop-itself"));
  ASSERT_TRUE(roll_.next("main"));
  task.kill();
  auto ended = expect<Ended>(task);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->signal, SIGKILL);

  auto other = launched(unruly("stop-itself"));
  ASSERT_TRUE(roll_.next("main"));
  other.stop(Seconds(60));
  ended = expect<Ended>(other);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->exit_code, 0);
}

TEST_F(TaskTest, a_daemon_it_left_behind_dies_with_it) {
  for (const bool own : {true, false}) {
    auto wanted = unruly("daemon-and-exit");
    wanted.own_group = own;
    auto task = launched(std::move(wanted));
    const auto pid = roll_.next("daemon");
    ASSERT_TRUE(pid);
    const Watched daemon(*pid);
    const auto ended = expect<Ended>(task);
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->exit_code, 7);
    EXPECT_EQ(ended->leftovers_killed, 1);
    EXPECT_EQ(ended->survivors, 0);
    EXPECT_TRUE(daemon.dies(Millis(0))) << "reported as ended before all of it was gone";
  }
}

TEST_F(TaskTest, fifty_children_in_and_out_of_the_group_die_with_it) {
  auto task = launched(unruly("fork-50"));
  const auto main = roll_.next("main");
  ASSERT_TRUE(main);
  std::vector<Watched> children;
  for (int i = 0; i < 50; ++i) {
    const auto pid = roll_.next("child");
    ASSERT_TRUE(pid);
    children.emplace_back(*pid);
  }
  ASSERT_EQ(::kill(*main, SIGKILL), 0);
  const auto ended = expect<Ended>(task);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->signal, SIGKILL);
  EXPECT_EQ(ended->leftovers_killed, 50);
  for (const auto& child : children) EXPECT_TRUE(child.dies(Millis(0)));
}

TEST_F(TaskTest, processes_that_fork_faster_than_one_can_look_die_with_it) {
  for (const bool own : {true, false}) {
    auto wanted = unruly("chains");
    wanted.own_group = own;
    auto task = launched(std::move(wanted));
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(roll_.next("link"));
    task.kill();
    const auto ended = expect<Ended>(task);
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->survivors, 0);
  }
}

TEST_F(TaskTest, dropping_the_task_kills_all_of_it) {
  std::optional<Watched> main;
  std::optional<Watched> daemon;
  {
    auto task = launched(unruly("daemon-and-stay"));
    const auto main_pid = roll_.next("main");
    const auto daemon_pid = roll_.next("daemon");
    ASSERT_TRUE(main_pid && daemon_pid);
    main.emplace(*main_pid);
    daemon.emplace(*daemon_pid);
    EXPECT_TRUE(main->is_alive() && daemon->is_alive());
  }
  EXPECT_TRUE(main->dies(Millis(0)));
  EXPECT_TRUE(daemon->dies(Millis(0)));
}

TEST_F(TaskTest, sigterm_to_the_reaper_alone_changes_nothing) {
  auto task = launched(unruly("trap-term"));
  const auto pid = roll_.next("main");
  ASSERT_TRUE(pid);
  ASSERT_EQ(::kill(task.reaper_pid(), SIGTERM), 0);
  task.stop(Seconds(60));
  const auto ended = expect<Ended>(task);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->signal, 0) << "it was killed, not asked";
}

// A process that launches `request`, tells the test its reaper, and waits to be killed.
// With `beats_every` it lets the reaper hear of it, as an agent does.
pid_t fork_agent(const LaunchRequest& request, const std::string& roll, Millis beats_every = Millis(0)) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  ::setpgid(0, 0);
  adopt_orphans();
  auto task = TaskProcess::launch(request);
  if (!task) ::_exit(1);
  const core::UniqueFd fifo(::open(roll.c_str(), O_WRONLY | O_CLOEXEC));
  if (!core::write_all(fifo.get(), "reaper " + std::to_string(task->reaper_pid()) + "\n")) ::_exit(1);
  ::alarm(60);
  for (;;) {
    if (beats_every == Millis(0)) ::pause();
    task->beat();
    ::poll(nullptr, 0, static_cast<int>(beats_every.count()));
  }
}

TEST_F(TaskTest, nothing_survives_when_the_agent_is_killed) {
  for (const bool own : {true, false}) {
    auto wanted = unruly("daemon-and-stay");
    wanted.own_group = own;
    const pid_t agent = fork_agent(wanted, roll_.path());
    ASSERT_GT(agent, 0);
    const auto reaper_pid = roll_.next("reaper");
    const auto daemon_pid = roll_.next("daemon");
    const auto main_pid = roll_.next("main");
    ASSERT_TRUE(reaper_pid && daemon_pid && main_pid);
    const Watched reaper(*reaper_pid);
    const Watched daemon(*daemon_pid);
    const Watched main(*main_pid);
    EXPECT_TRUE(reaper.is_alive() && daemon.is_alive() && main.is_alive());
    // The whole group, as a NodeManager does it.
    ASSERT_EQ(::kill(-agent, SIGKILL), 0);
    EXPECT_TRUE(main.dies());
    EXPECT_TRUE(daemon.dies());
    EXPECT_TRUE(reaper.dies());
    while (::wait(nullptr) > 0) {
    }
  }
}

TEST_F(TaskTest, nothing_survives_when_the_agent_is_stopped) {
  for (const bool own : {true, false}) {
    auto wanted = unruly("daemon-and-stay");
    wanted.own_group = own;
    wanted.agent_silence = Millis(1000);
    const pid_t agent = fork_agent(wanted, roll_.path(), Millis(50));
    ASSERT_GT(agent, 0);
    const auto reaper_pid = roll_.next("reaper");
    const auto daemon_pid = roll_.next("daemon");
    const auto main_pid = roll_.next("main");
    ASSERT_TRUE(reaper_pid && daemon_pid && main_pid);
    const Watched reaper(*reaper_pid);
    const Watched daemon(*daemon_pid);
    const Watched main(*main_pid);
    const auto stopped_at = core::steady_now();
    ASSERT_EQ(::kill(agent, SIGSTOP), 0);
    EXPECT_TRUE(main.dies());
    EXPECT_GE(core::steady_now() - stopped_at, Millis(900)) << "its time was not over";
    EXPECT_TRUE(daemon.dies());
    // Its report waits for the agent, which collects it when it continues.
    ASSERT_EQ(::kill(-agent, SIGKILL), 0);
    EXPECT_TRUE(reaper.dies());
    while (::wait(nullptr) > 0) {
    }
  }
}

TEST_F(TaskTest, an_agent_that_hangs_loses_its_task_and_learns_why) {
  auto wanted = unruly("ignore-term");
  wanted.agent_silence = Millis(50);
  auto task = launched(std::move(wanted));
  const auto ended = expect<Ended>(task);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->signal, SIGKILL);
  EXPECT_TRUE(ended->agent_was_silent);
}

TEST_F(TaskTest, a_task_goes_on_while_its_agent_is_heard) {
  auto wanted = unruly("trap-term");
  wanted.agent_silence = Millis(1500);
  auto task = launched(std::move(wanted));
  ASSERT_TRUE(roll_.next("main"));
  for (const auto end = core::steady_now() + Millis(3000); core::steady_now() < end;) {
    task.beat();
    ASSERT_FALSE(task.read_event());
    ::poll(nullptr, 0, 20);
  }
  task.stop(Seconds(60));
  const auto ended = expect<Ended>(task);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->signal, 0);
  EXPECT_FALSE(ended->agent_was_silent);
}

// The signal that stopped the reaper may have stopped the agent with it. What waits at a stopped reaper leaves space
// for the command to stop.
TEST_F(TaskTest, a_reaper_that_was_stopped_itself_does_not_blame_the_agent) {
  auto wanted = unruly("trap-term");
  wanted.agent_silence = Millis(1000);
  auto task = launched(std::move(wanted));
  ASSERT_TRUE(roll_.next("main"));
  ASSERT_EQ(::kill(task.reaper_pid(), SIGSTOP), 0);
  ::poll(nullptr, 0, 1500);
  for (int i = 0; i < 10'000; ++i) task.beat();
  task.stop(Seconds(60));
  ASSERT_EQ(::kill(task.reaper_pid(), SIGCONT), 0);
  const auto ended = expect<Ended>(task);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->signal, 0) << "it was killed, not asked";
  EXPECT_FALSE(ended->agent_was_silent);
}

TEST_F(TaskTest, when_the_reaper_is_killed_the_agent_finds_what_is_left) {
  auto other = launched(request({"sleep", "60"}));
  auto task = launched(unruly("daemon-and-stay"));
  const auto main_pid = roll_.next("main");
  const auto daemon_pid = roll_.next("daemon");
  ASSERT_TRUE(main_pid && daemon_pid);
  const Watched main(*main_pid);
  const Watched daemon(*daemon_pid);
  ASSERT_EQ(::kill(task.reaper_pid(), SIGKILL), 0);
  ASSERT_TRUE(expect<ReaperLost>(task));
  EXPECT_TRUE(main.dies());
  EXPECT_TRUE(daemon.is_alive());
  EXPECT_GE(kill_leftovers(std::vector{other.reaper_pid()}), 1);
  EXPECT_TRUE(daemon.dies(Millis(0)));
  EXPECT_FALSE(other.read_event()) << "a task that was not lost was hit";
}

TEST_F(TaskTest, there_are_no_orphans_while_all_reapers_live) {
  auto task = launched(unruly("daemon-and-stay"));
  ASSERT_TRUE(roll_.next("main"));
  EXPECT_EQ(kill_leftovers(std::vector{task.reaper_pid()}), 0);
  EXPECT_FALSE(task.read_event());
}

}  // namespace
}  // namespace ydl::agent

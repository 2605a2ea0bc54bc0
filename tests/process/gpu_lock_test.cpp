#include "agent/resources/gpu_lock.hpp"

#include "agent/resources/gpus.hpp"
#include "core/strings.hpp"

#include <csignal>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ydl::agent {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using State = GpuLock::State;

// A name that no agent and no other test has.
std::string some_name() {
  return "ydl-test-" + core::random_hex(8);
}

std::vector<Gpu> some(int count) {
  std::vector<Gpu> gpus;
  for (int i = 0; i < count; ++i) gpus.push_back({i, "GPU-" + std::to_string(i), "H200", 1});
  return gpus;
}

// Another process, which has done something and waits to be killed.
class Other {
 public:
  explicit Other(const std::function<void()>& work) {
    auto ready = core::make_pipe().value();
    pid_ = ::fork();
    if (pid_ == 0) {
      work();
      (void)core::write_all(ready.write.get(), "x");
      for (;;) ::pause();
    }
    ready.write.reset();
    char byte = 0;
    EXPECT_EQ(::read(ready.read.get(), &byte, 1), 1);
  }
  ~Other() { kill(); }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;

  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, -1), nullptr, 0);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

// As another program may have the name: without listening.
core::UniqueFd bind_only(const std::string& name) {
  core::UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::ranges::copy(name, address.sun_path + 1);
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), length), 0);
  return socket;
}

TEST(GpuLock, names_its_holder_and_ends_with_that_process) {
  const auto name = some_name();
  Other other([&] { (void)lock_gpu(name).socket.release(); });
  const auto refused = lock_gpu(name);
  EXPECT_EQ(refused.state, State::taken);
  EXPECT_EQ(refused.holder, (GpuHolder{other.pid(), ::geteuid()}));
  other.kill();
  EXPECT_EQ(lock_gpu(name).state, State::ours);
}

TEST(GpuLock, is_given_back_when_it_is_closed) {
  const auto name = some_name();
  auto first = lock_gpu(name);
  EXPECT_EQ(first.state, State::ours);
  EXPECT_EQ(lock_gpu(name).state, State::taken);
  first.socket.reset();
  EXPECT_EQ(lock_gpu(name).state, State::ours);
}

TEST(GpuLock, a_name_under_which_no_process_listens_does_not_count) {
  const auto name = some_name();
  const auto squatter = bind_only(name);
  EXPECT_EQ(lock_gpu(name).state, State::impossible);
}

TEST(GpuLock, what_a_dead_holder_left_to_a_child_does_not_count) {
  const auto name = some_name();
  pid_t heir = -1;
  auto told = core::make_pipe().value();
  Other holder([&] {
    (void)lock_gpu(name).socket.release();
    const auto child = ::fork();
    if (child == 0) {
      for (;;) ::pause();
    }
    (void)core::write_all(told.write.get(), {reinterpret_cast<const char*>(&child), sizeof child});
  });
  ASSERT_EQ(::read(told.read.get(), &heir, sizeof heir), static_cast<ssize_t>(sizeof heir));
  EXPECT_EQ(lock_gpu(name).state, State::taken);
  holder.kill();
  EXPECT_EQ(lock_gpu(name).state, State::impossible);
  ::kill(heir, SIGKILL);
}

TEST(GpuLock, a_name_of_any_length_is_one) {
  const auto name = some_name() + std::string(200, 'x');
  const auto lock = lock_gpu(name);
  EXPECT_EQ(lock.state, State::ours);
  EXPECT_EQ(lock_gpu(name).state, State::taken);
  EXPECT_EQ(lock_gpu(name + "y").state, State::ours);
}

TEST(GpuLock, a_holder_is_described_by_name_where_there_is_one) {
  constexpr auto* kPasswd = "alice:x:1000:1000::/home/alice:/bin/sh\n";
  EXPECT_EQ(describe({4711, 1000}, kPasswd), "process 4711 of user alice");
  EXPECT_EQ(describe({4711, 1001}, kPasswd), "process 4711 of user 1001");
  EXPECT_EQ(describe({0, 1000}, kPasswd), "a process of user alice");
}

// Another job, another container of YARN: each has an agent of its own.
TEST(GpuPool, agents_of_one_host_do_not_give_a_gpu_twice) {
  const auto locks = some_name();
  GpuPool ours(some(3), locks);
  auto theirs = std::make_unique<GpuPool>(some(3), locks);
  const auto two = ours.allocate(2);
  ASSERT_TRUE(two);
  EXPECT_EQ(theirs->available(), 1U);
  EXPECT_FALSE(theirs->allocate(2));
  EXPECT_EQ(theirs->available(), 1U) << "what did not suffice is given back";
  const auto us = describe({::getpid(), ::geteuid()}, core::read_file("/etc/passwd").value_or(""));
  EXPECT_THAT(theirs->holders(), ElementsAre("GPU 0: " + us, "GPU 1: " + us));
  EXPECT_THAT(*theirs->allocate(1), ElementsAre(some(3)[2]));
  EXPECT_EQ(ours.available(), 0U);
  theirs.reset();
  EXPECT_EQ(ours.available(), 1U) << "an agent that ends has nothing any more";
  ours.release(*two);
  EXPECT_EQ(ours.available(), 3U);
  EXPECT_THAT(ours.holders(), IsEmpty());
}

}  // namespace
}  // namespace ydl::agent

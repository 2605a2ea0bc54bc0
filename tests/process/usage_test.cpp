#include "agent/resources/usage.hpp"

#include <array>
#include <csignal>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ydl::agent {
namespace {

constexpr std::size_t kHeld = std::size_t{64} << 20U;

// A process whose child was started by another thread than the main one, and holds kHeld bytes.
class Tree {
 public:
  Tree() {
    EXPECT_EQ(::pipe(ready_.data()), 0);
    root_ = ::fork();
    if (root_ == 0) {
      ::setpgid(0, 0);
      std::thread([this] {
        if (::fork() == 0) hold();
      }).join();
      for (;;) ::pause();
    }
    ::setpgid(root_, root_);
    char byte = 0;
    EXPECT_EQ(::read(ready_[0], &byte, 1), 1);
  }
  ~Tree() {
    ::kill(-root_, SIGKILL);
    ::waitpid(root_, nullptr, 0);
    for (const int fd : ready_) ::close(fd);
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  [[nodiscard]] pid_t root() const { return root_; }

 private:
  [[noreturn]] void hold() const {
    static std::string held;
    held.assign(kHeld, 'x');
    (void)!::write(ready_[1], "x", 1);
    for (;;) ::pause();
  }

  std::array<int, 2> ready_{};
  pid_t root_ = 0;
};

TEST(Usage, of_a_process_tree_is_that_of_all_processes_below_its_root) {
  const Tree tree;
  const auto count = count_process_tree(tree.root());
  ASSERT_TRUE(count.memory_bytes);
  EXPECT_GE(*count.memory_bytes, kHeld);
  EXPECT_TRUE(count.cpu_us);
  const auto same = count_usage({.attempt = {{"worker", 0}, 1}, .began = {}, .reaper = tree.root(), .cgroup = {}});
  EXPECT_GE(*same.memory_bytes, kHeld);
}

}  // namespace
}  // namespace ydl::agent

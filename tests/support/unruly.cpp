// A task that misbehaves in the way of its first argument. Its second argument is a FIFO in which the task and its
// children report "NAME PID" lines, one per write, so that a test knows their ids and when they have started.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace {

const char* fifo_path = nullptr;

void say(const char* name) {
  const int fd = ::open(fifo_path, O_WRONLY | O_CLOEXEC);
  std::array<char, 64> line{};
  const int n = std::snprintf(line.data(), line.size(), "%s %d\n", name, static_cast<int>(::getpid()));
  if (fd < 0 || ::write(fd, line.data(), static_cast<size_t>(n)) != n) std::_Exit(99);
  ::close(fd);
}

// All processes end after some time, so that a failed test leaves nothing behind for long.
[[noreturn]] void linger() {
  ::alarm(60);
  for (;;) ::pause();
}

void on_term(int) {
  ::_exit(0);
}

// Starts a grandchild in its own session, outside the process group and not as a child. Returns after it has reported
// itself.
void daemonize_child() {
  std::array<int, 2> heard{};
  if (::pipe(heard.data()) != 0) std::_Exit(97);
  if (::fork() == 0) {
    ::setsid();
    if (::fork() == 0) {
      ::signal(SIGTERM, SIG_IGN);
      ::signal(SIGHUP, SIG_IGN);
      say("daemon");
      ::close(heard[1]);
      ::close(heard[0]);
      linger();
    }
    ::_exit(0);
  }
  ::wait(nullptr);
  ::close(heard[1]);
  char none = 0;
  if (::read(heard[0], &none, 1) != 0) std::_Exit(96);
}

// A chain of processes that are too short-lived to be found in /proc: each forks the next one and exits.
[[noreturn]] void chain() {
  const std::time_t end = std::time(nullptr) + 30;
  for (long i = 0;; ++i) {
    if (std::time(nullptr) > end) ::_exit(0);
    const pid_t child = ::fork();
    if (child > 0) ::_exit(0);
    if (i == 20) say("link");
  }
}

int list_descriptors() {
  DIR* directory = ::opendir("/proc/self/fd");
  while (const auto* entry = ::readdir(directory)) {
    if (entry->d_name[0] != '.' && std::atoi(entry->d_name) != ::dirfd(directory)) std::printf("%s ", entry->d_name);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  if (mode == "fds") return list_descriptors();
  if (argc < 3) return 98;
  fifo_path = argv[2];
  if (mode == "trap-term") {
    ::signal(SIGTERM, on_term);
  } else if (mode == "ignore-term") {
    ::signal(SIGTERM, SIG_IGN);
  } else if (mode == "stop-itself") {
    ::signal(SIGTERM, on_term);
    say("main");
    ::raise(SIGSTOP);
  } else if (mode == "daemon-and-exit") {
    daemonize_child();
    return 7;
  } else if (mode == "daemon-and-stay") {
    daemonize_child();
  } else if (mode == "fork-50") {
    for (int i = 0; i < 50; ++i) {
      if (::fork() == 0) {
        if (i % 2 == 0) ::setsid();
        say("child");
        linger();
      }
    }
  } else if (mode == "child-traps-term") {
    if (::fork() == 0) {
      ::signal(SIGTERM, [](int) {
        say("child-got-term");
        ::_exit(0);
      });
      say("child");
      linger();
    }
    ::signal(SIGTERM, [](int) {
      ::wait(nullptr);
      ::_exit(0);
    });
  } else if (mode == "chains") {
    for (int i = 0; i < 4; ++i) {
      if (::fork() == 0) chain();
    }
  }
  say("main");
  linger();
}

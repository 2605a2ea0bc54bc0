// trivial_task FOLDER: the task that every launcher starts in these benchmarks.
//
// It appends its clock reading to FOLDER/started as one line of kLine bytes, then waits until somebody opens FOLDER/release, a FIFO,
// for writing. So the time of "the last task runs" is the task's own, and all tasks end at one moment.
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { kLine = 20 };  // 19 digits of nanoseconds and a newline

int main(int argc, char** argv) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (argc != 2 || chdir(argv[1]) != 0) return 2;

  char line[kLine + 1];
  snprintf(line, sizeof line, "%019lld\n", (long long)now.tv_sec * 1000000000LL + now.tv_nsec);
  const int started = open("started", O_WRONLY | O_APPEND | O_CLOEXEC);
  if (started < 0 || write(started, line, kLine) != kLine) return 2;

  return open("release", O_RDONLY | O_CLOEXEC) < 0 ? 2 : 0;
}

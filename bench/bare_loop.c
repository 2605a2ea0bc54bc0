// bare_loop COUNT COMMAND [ARGUMENT...]: the least a launcher of processes can do. It forks and executes COMMAND COUNT times, waits for
// all of them, and ends with 0 when each ended with 0 and with 1 when one did not.
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const int count = argc > 2 ? atoi(argv[1]) : 0;
  if (count < 1) {
    fprintf(stderr, "usage: bare_loop COUNT COMMAND [ARGUMENT...]\n");
    return 2;
  }
  for (int i = 0; i < count; ++i) {
    const pid_t pid = fork();
    if (pid < 0) {
      perror("bare_loop: cannot fork");
      return 1;
    }
    if (pid == 0) {
      execvp(argv[2], argv + 2);
      perror("bare_loop: cannot execute the command");
      _exit(127);
    }
  }
  int status = 0;
  int failed = 0;
  while (wait(&status) > 0) failed |= status;
  return failed != 0;
}

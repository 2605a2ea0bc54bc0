/* Starts the helper: `ydl __hdfs`, a process that belongs to this one.
 *
 * The library and the helper share a control socket, a pair without a name, so no other program can connect. Each
 * message on it carries one end of a new pair, which is a connection. When every process that has the control socket is
 * gone, the helper ends.
 */
#include "internal.h"

#include <link.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

enum {
  kControlInHelper = 3,
  kPatienceSeconds = 15 * 60, /* a NameNode may be away for minutes */
  kLeastDescriptor = 16,      /* programs close and reuse the lowest descriptors */
};

pthread_mutex_t global_lock = PTHREAD_MUTEX_INITIALIZER;

static pthread_mutex_t control_lock = PTHREAD_MUTEX_INITIALIZER;
static int control = -1;
static ino_t control_inode;
static char library_path[4096];

/* ---- fork ---- */

static void before_fork(void) {
  pthread_mutex_lock(&control_lock);
  pthread_mutex_lock(&global_lock);
}

static void after_fork_in_parent(void) {
  pthread_mutex_unlock(&global_lock);
  pthread_mutex_unlock(&control_lock);
}

/* Connections carry the answers for the parent. The control socket can be used by both. */
static void after_fork_in_child(void) {
  close_idle_connections();
  forget_files_of_parent();
  after_fork_in_parent();
}

static int find_this_library(struct dl_phdr_info* info, size_t size, void* unused) {
  (void)size;
  (void)unused;
  const uintptr_t here = (uintptr_t)&find_this_library;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + part->p_vaddr;
    if (part->p_type != PT_LOAD || here < begin || here >= begin + part->p_memsz) continue;
    if (realpath(info->dlpi_name, library_path) == NULL) library_path[0] = 0;
    return 1;
  }
  return 0;
}

__attribute__((constructor)) static void load(void) {
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  dl_iterate_phdr(find_this_library, NULL); /* now: the name may be relative to the current directory */
}

/* ---- the program ---- */

/* The library lies in FOLDER/lib/native, and FOLDER/bin/ydl is the program that put it there. */
static bool find_program(char* path, size_t size) {
  const char* named = getenv("YDL_HDFS_PROGRAM");
  if (named != NULL && *named == '/') return snprintf(path, size, "%s", named) < (int)size;
  const size_t length = strlen(library_path);
  if (length == 0 || length >= size) return false;
  memcpy(path, library_path, length + 1);
  for (int i = 0; i < 3; ++i) {
    char* slash = strrchr(path, '/');
    if (slash == NULL) return false;
    *slash = 0;
  }
  const size_t folder = strlen(path);
  return snprintf(path + folder, size - folder, "/bin/ydl") < (int)(size - folder);
}

/* posix_spawn() starts a process without copying the page tables of a program that may have hundreds of gigabytes. The
 * helper forks once more and leaves its parent, so that the program never finds an unknown child. */
static int spawn_helper(const char* program, int end) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none;
  sigset_t defaults; /* those that a program may ignore; other dispositions end with exec */
  const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGCHLD};
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; ++i) sigaddset(&defaults, ignored[i]);
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, end, kControlInHelper);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  char name[] = "ydl";
  char command[] = "__hdfs";
  char* const words[] = {name, command, NULL};
  pid_t pid = 0;
  const int error = posix_spawn(&pid, program, &actions, &attributes, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return error;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return 0;
}

static void set_patience(int fd) {
  const struct timeval patience = {.tv_sec = kPatienceSeconds, .tv_usec = 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

/* Moves a descriptor away from the numbers that programs expect to be free. */
static int move_up(int fd) {
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, kLeastDescriptor);
  if (moved < 0) return fd;
  close(fd);
  return moved;
}

static ino_t inode_of(int fd) {
  /* fstat() of new versions of libc has a version that older ones lack. */
  struct stat status;
  return syscall(SYS_fstat, fd, &status) == 0 && S_ISSOCK(status.st_mode) ? status.st_ino : 0;
}

/* Whether the descriptor is still ours, because a program may close all descriptors, and the helper lives. */
static bool control_works(void) {
  if (control < 0) return false;
  if (inode_of(control) != control_inode) {
    control = -1;
    return false;
  }
  struct pollfd look = {.fd = control, .events = POLLIN, .revents = 0};
  if (poll(&look, 1, 0) == 0) return true;
  close(control);
  control = -1;
  return false;
}

static int start_helper(char* why, size_t size) {
  char program[sizeof library_path + 16];
  if (!find_program(program, sizeof program)) {
    snprintf(why, size, "cannot find the program ydl beside the library: set YDL_HDFS_PROGRAM to its absolute path");
    return ENOEXEC; /* ENOENT would mean that a file of HDFS is missing */
  }
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
    snprintf(why, size, "cannot make a socket, errno %d: raise the limit of open files (ulimit -n)", errno);
    return errno == EMFILE || errno == ENFILE ? errno : EIO;
  }
  /* Not the same number in the helper: then it would still be closed by exec. */
  pair[1] = move_up(pair[1]);
  const int error = spawn_helper(program, pair[1]);
  close(pair[1]);
  if (error != 0) {
    close(pair[0]);
    snprintf(why, size, "cannot start %s, errno %d: set YDL_HDFS_PROGRAM to the absolute path of ydl", program, error);
    return error == ENOENT ? ENOEXEC : error;
  }
  control = move_up(pair[0]);
  control_inode = inode_of(control);
  set_patience(control);
  return 0;
}

static int send_end(int end) {
  char byte = 1;
  struct iovec part = {.iov_base = &byte, .iov_len = 1};
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
  } room;
  memset(&room, 0, sizeof room);
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room.bytes,
                           .msg_controllen = sizeof room.bytes};
  struct cmsghdr* rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(rights), &end, sizeof end);
  ssize_t sent;
  do sent = sendmsg(control, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent < 0 ? errno : 0;
}

int connect_to_helper(char* why, size_t size) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    snprintf(why, size, "cannot make a socket, errno %d: raise the limit of open files (ulimit -n)", errno);
    return -1;
  }
  int error = 0;
  pthread_mutex_lock(&control_lock);
  for (int attempt = 0; attempt < 2; ++attempt) {
    error = control_works() ? 0 : start_helper(why, size);
    if (error != 0) break;
    error = send_end(pair[1]);
    if (error == 0) break;
    snprintf(why, size, "the process of ydl that reads HDFS ended when it started: `ydl fs ls /` says why, errno %d", error);
    error = EIO;
    close(control);
    control = -1;
  }
  pthread_mutex_unlock(&control_lock);
  close(pair[1]);
  if (error != 0) {
    close(pair[0]);
    errno = error;
    return -1;
  }
  set_patience(pair[0]);
  return move_up(pair[0]);
}

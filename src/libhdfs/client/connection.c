#include "internal.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { kIdleConnections = 8 };

static int idle[kIdleConnections]; /* protected by global_lock */
static int idle_count;

void close_idle_connections(void) {
  while (idle_count > 0) close(idle[--idle_count]);
}

/* An idle connection is readable only if the helper has ended. */
static bool is_usable(int fd) {
  struct pollfd look = {.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&look, 1, 0) == 0;
}

static int take_idle(void) {
  for (;;) {
    pthread_mutex_lock(&global_lock);
    const int fd = idle_count > 0 ? idle[--idle_count] : -1;
    pthread_mutex_unlock(&global_lock);
    if (fd < 0 || is_usable(fd)) return fd;
    close(fd);
  }
}

void give_connection(int fd) {
  pthread_mutex_lock(&global_lock);
  const bool keep = idle_count < kIdleConnections;
  if (keep) idle[idle_count++] = fd;
  pthread_mutex_unlock(&global_lock);
  if (!keep) close(fd);
}

int take_connection(const char* function, const char* path) {
  const int known = take_idle();
  if (known >= 0) return known;
  char why[512] = "";
  const int fd = connect_to_helper(why, sizeof why);
  if (fd < 0) return fail_with(errno, function, path, why, NULL);
  struct message hello;
  message_begin(&hello, kYdlHello);
  message_u32(&hello, YDL_WIRE_VERSION);
  struct answer answer;
  if (ask_on(fd, &hello, &answer, function, path) != 0) return -1;
  const uint32_t version = body_u32(&answer.body);
  answer_free(&answer);
  if (version == YDL_WIRE_VERSION) return fd;
  close(fd);
  return fail_with(EPROTO, function, path,
                   "ydl was replaced by another version: call ydl.use_hdfs() again in a new process", NULL);
}

int send_all(int fd, const void* head, size_t head_size, const void* data, size_t size) {
  struct iovec parts[2] = {{(void*)head, head_size}, {(void*)data, size}};
  struct iovec* part = parts;
  size_t left = head_size + size;
  while (left > 0) {
    while (part->iov_len == 0) ++part;
    const struct msghdr message = {.msg_iov = part, .msg_iovlen = (size_t)(parts + 2 - part)};
    const ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return errno == EAGAIN ? ETIMEDOUT : errno;
    left -= (size_t)sent;
    for (size_t gone = (size_t)sent; gone > 0;) {
      const size_t here = gone < part->iov_len ? gone : part->iov_len;
      part->iov_base = (char*)part->iov_base + here;
      part->iov_len -= here;
      gone -= here;
      if (part->iov_len == 0) ++part;
    }
  }
  return 0;
}

int receive_all(int fd, void* into, size_t size) {
  char* at = into;
  while (size > 0) {
    const ssize_t got = recv(fd, at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN ? ETIMEDOUT : errno;
    if (got == 0) return EIO;
    at += got;
    size -= (size_t)got;
  }
  return 0;
}

int receive_answer(int fd, struct answer* answer) {
  memset(answer, 0, sizeof *answer);
  unsigned char bytes[kYdlFrameHeader];
  struct frame_header header;
  int error = receive_all(fd, bytes, sizeof bytes);
  if (error == 0) error = decode_header(bytes, &header);
  if (error != 0) return error;
  answer->kind = header.kind;
  answer->data = malloc(header.size == 0 ? 1 : header.size);
  if (answer->data == NULL) return ENOMEM;
  error = receive_all(fd, answer->data, header.size);
  if (error != 0) {
    answer_free(answer);
    return error;
  }
  answer->body = (struct body){.data = answer->data, .size = header.size, .at = 0, .broken = false};
  return 0;
}

void answer_free(struct answer* answer) {
  free(answer->data);
  answer->data = NULL;
}

/* An ERROR from the helper. The connection stays usable. */
static int refused(struct answer* answer, const char* function, const char* path) {
  const uint32_t code = body_u32(&answer->body);
  char* message = body_text(&answer->body);
  char* java = body_text(&answer->body);
  const bool valid = body_done(&answer->body) && code > 0 && code <= INT_MAX;
  const int result = valid ? fail_with((int)code, function, path, message, java) : fail_here(EPROTO, function, path);
  const int error = errno;
  free(message);
  free(java);
  answer_free(answer);
  errno = error;
  return result;
}

int ask_on(int fd, struct message* request, struct answer* answer, const char* function, const char* path) {
  int error = message_end(request);
  if (error == 0) error = send_all(fd, request->data, request->size, NULL, 0);
  /* A helper that cannot start leaves its reason in the connection. */
  const int received = error == 0 || error == EPIPE || error == ECONNRESET ? receive_answer(fd, answer) : error;
  message_free(request);
  if (received != 0) {
    close(fd);
    return fail_here(received == ECONNRESET || received == EPIPE ? EIO : received, function, path);
  }
  if (answer->kind != kYdlError) return 0;
  give_connection(fd);
  return refused(answer, function, path);
}

int ask(struct message* request, struct answer* answer, const char* function, const char* path) {
  const int fd = take_connection(function, path);
  if (fd < 0) {
    message_free(request);
    return -1;
  }
  if (ask_on(fd, request, answer, function, path) != 0) return -1;
  give_connection(fd);
  return 0;
}

int ask_and_forget(struct message* request, const char* function, const char* path) {
  struct answer answer;
  if (ask(request, &answer, function, path) != 0) return -1;
  answer_free(&answer);
  return 0;
}

/* Writes a file: bytes are collected, passed on without waiting, and confirmed by flush and close. */
#include "internal.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kCollect = 256 << 10 };

/* Ends the file: all later calls fail with the same errno. */
static int break_off(hdfsFile file, int code) {
  if (file->fd >= 0) close(file->fd);
  file->fd = -1;
  file->failed = code;
  errno = code;
  return -1;
}

static int usable(hdfsFile file, const char* function) {
  if (file->forked) return fail_with(EBADF, function, file->uri, "the file was opened before this process was forked", NULL);
  if (file->failed != 0) {
    errno = file->failed;
    return -1;
  }
  return 0;
}

int writer_open(hdfsFile file, bool append, int replication, int64_t block_size, const char* function) {
  const int fd = take_connection(function, file->uri);
  if (fd < 0) return -1;
  struct message request;
  message_begin(&request, kYdlCreate);
  message_text(&request, file->uri);
  message_u32(&request, append ? 1 : 0);
  message_u32(&request, (uint32_t)replication);
  message_u64(&request, (uint64_t)block_size);
  struct answer answer;
  if (ask_on(fd, &request, &answer, function, file->uri) != 0) return -1;
  file->position = (tOffset)body_u64(&answer.body);
  const bool valid = answer.kind == kYdlOk && body_done(&answer.body) && file->position >= 0;
  answer_free(&answer);
  if (!valid) {
    close(fd);
    return fail_here(EPROTO, function, file->uri);
  }
  file->fd = fd;
  file->buffer = malloc(kCollect);
  if (file->buffer != NULL) return 0;
  close(fd);
  return fail_here(ENOMEM, function, file->uri);
}

/* Receives the answer to FLUSH or CLOSE, or the failure of an earlier WRITE. */
static int receive_result(hdfsFile file, const char* function) {
  struct answer answer;
  const int error = receive_answer(file->fd, &answer);
  if (error != 0) {
    fail_here(error, function, file->uri);
    return break_off(file, error == EPIPE || error == ECONNRESET ? EIO : error);
  }
  if (answer.kind == kYdlOk) {
    answer_free(&answer);
    return 0;
  }
  const uint32_t code = body_u32(&answer.body);
  char* message = body_text(&answer.body);
  char* java = body_text(&answer.body);
  const bool valid = answer.kind == kYdlError && body_done(&answer.body) && code > 0;
  if (valid)
    fail_with((int)code, function, file->uri, message, java);
  else
    fail_here(EPROTO, function, file->uri);
  free(message);
  free(java);
  answer_free(&answer);
  return break_off(file, valid ? (int)code : EPROTO);
}

static int send_bytes(hdfsFile file, const void* data, size_t size, const char* function) {
  const unsigned char* at = data;
  while (size > 0) {
    const size_t part = size < kYdlLargestData ? size : kYdlLargestData;
    /* A failure is reported at the next write, not only when the file is closed. */
    struct pollfd look = {.fd = file->fd, .events = POLLIN, .revents = 0};
    if (poll(&look, 1, 0) > 0) return receive_result(file, function) == 0 ? break_off(file, EPROTO) : -1;
    unsigned char header[kYdlFrameHeader];
    encode_header(header, kYdlWrite, part);
    const int error = send_all(file->fd, header, sizeof header, at, part);
    if (error == EPIPE || error == ECONNRESET) return receive_result(file, function) == 0 ? break_off(file, EIO) : -1;
    if (error != 0) {
      fail_here(error, function, file->uri);
      return break_off(file, error);
    }
    at += part;
    size -= part;
  }
  return 0;
}

int writer_pass_on(hdfsFile file, const char* function) {
  if (usable(file, function) != 0) return -1;
  const size_t size = file->buffered;
  file->buffered = 0;
  return send_bytes(file, file->buffer, size, function);
}

tSize writer_write(hdfsFile file, const void* buffer, tSize length, const char* function) {
  if (usable(file, function) != 0) return -1;
  const unsigned char* from = buffer;
  size_t left = (size_t)length;
  while (left > 0) {
    if (file->buffered == 0 && left >= kCollect) {
      if (send_bytes(file, from, left, function) != 0) return -1;
      break;
    }
    const size_t room = kCollect - file->buffered;
    const size_t part = left < room ? left : room;
    memcpy(file->buffer + file->buffered, from, part);
    file->buffered += part;
    from += part;
    left -= part;
    if (file->buffered == kCollect && writer_pass_on(file, function) != 0) return -1;
  }
  file->position += length;
  return length;
}

int writer_flush(hdfsFile file, bool to_disk, const char* function) {
  if (writer_pass_on(file, function) != 0) return -1;
  unsigned char bytes[kYdlFrameHeader + 4] = {0};
  encode_header(bytes, kYdlFlush, 4);
  bytes[kYdlFrameHeader] = to_disk ? 1 : 0;
  (void)send_all(file->fd, bytes, sizeof bytes, NULL, 0); /* a failure is found when the answer is read */
  return receive_result(file, function);
}

int writer_close(hdfsFile file, const char* function) {
  if (file->forked) return 0; /* the parent writes it */
  if (writer_pass_on(file, function) != 0) return -1;
  unsigned char bytes[kYdlFrameHeader];
  encode_header(bytes, kYdlClose, 0);
  (void)send_all(file->fd, bytes, sizeof bytes, NULL, 0);
  return receive_result(file, function);
}

/* Reads a file. Sequential reads are requested ahead of the program, so that the helper works while the program does. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
  kSmallest = 64 << 10,    /* a read of fewer bytes requests this many: the next one is probably nearby */
  kMostAhead = 2 << 20,    /* requested but not received */
  kDirect = 128 << 10,     /* so many bytes go to the program's memory without a copy */
  kBuffer = 512 << 10,
  kSkip = 256 << 10,       /* a gap that is read and dropped instead of requested anew */
};

static void drop_stream(hdfsFile file) {
  if (file->fd >= 0) close(file->fd);
  file->fd = -1;
  file->requests = 0;
  file->frame_left = 0;
  file->header_size = 0;
  file->arriving = file->requested = 0;
}

void reader_forget(hdfsFile file) {
  drop_stream(file);
  file->buffered = 0;
  file->streak = 0;
  file->last_end = -1;
}

int reader_open(hdfsFile file, const char* function) {
  const int fd = take_connection(function, file->uri);
  if (fd < 0) return -1;
  struct message request;
  message_begin(&request, kYdlOpen);
  message_text(&request, file->uri);
  struct answer answer;
  if (ask_on(fd, &request, &answer, function, file->uri) != 0) return -1;
  file->length = (tOffset)body_u64(&answer.body);
  const bool valid = answer.kind == kYdlOk && body_done(&answer.body) && file->length >= 0;
  answer_free(&answer);
  if (!valid) {
    close(fd);
    return fail_here(EPROTO, function, file->uri);
  }
  file->fd = fd;
  return 0;
}

static int request_range(hdfsFile file, tOffset offset, tOffset length) {
  unsigned char bytes[kYdlFrameHeader + 12];
  encode_header(bytes, kYdlRead, 12);
  for (int i = 0; i < 8; ++i) bytes[kYdlFrameHeader + i] = (unsigned char)((uint64_t)offset >> (8 * i));
  for (int i = 0; i < 4; ++i) bytes[kYdlFrameHeader + 8 + i] = (unsigned char)((uint64_t)length >> (8 * i));
  const int error = send_all(file->fd, bytes, sizeof bytes, NULL, 0);
  if (error != 0) return error;
  if (file->requests == 0) file->arriving = offset;
  file->requested = offset + length;
  ++file->requests;
  return 0;
}

/* The error of an ERROR frame, whose header was received. The connection cannot be used any more: the answers to later
 * requests may follow. */
static int take_error(hdfsFile file, uint32_t size, const char* function) {
  unsigned char* data = malloc((size_t)size + 1);
  if (data == NULL) return ENOMEM;
  int error = receive_all(file->fd, data, size);
  if (error == 0) {
    struct body body = {.data = data, .size = size, .at = 0, .broken = false};
    const uint32_t code = body_u32(&body);
    char* message = body_text(&body);
    char* java = body_text(&body);
    error = EPROTO;
    if (body_done(&body) && code > 0) {
      fail_with((int)code, function, file->uri, message, java);
      error = -(int)code; /* was reported */
    }
    free(message);
    free(java);
  }
  free(data);
  drop_stream(file);
  return error;
}

/* Makes a DATA frame the current one, if there is still something to arrive. Returns 0, errno, or a negative errno that
 * was reported already. */
static int next_frame(hdfsFile file, const char* function) {
  while (file->frame_left == 0 && file->requests > 0) {
    int error = receive_all(file->fd, file->header + file->header_size, sizeof file->header - file->header_size);
    if (error != 0) return error;
    file->header_size = 0;
    struct frame_header header;
    error = decode_header(file->header, &header);
    if (error != 0) return error;
    if (header.kind == kYdlError) return take_error(file, header.size, function);
    if (header.kind == kYdlOk && header.size == 0) {
      --file->requests;
    } else if (header.kind == kYdlData && header.size <= (uint64_t)(file->requested - file->arriving)) {
      file->frame_left = header.size;
    } else {
      return EPROTO;
    }
  }
  return 0;
}

/* Receives up to `size` bytes of what was requested, together with the next header. Returns 0 with `*count` 0 when
 * nothing more will arrive. */
static int receive_some(hdfsFile file, unsigned char* into, size_t size, size_t* count, const char* function) {
  *count = 0;
  const int error = next_frame(file, function);
  if (error != 0 || file->frame_left == 0) return error;
  const size_t wanted = size < file->frame_left ? size : file->frame_left;
  const bool whole = wanted == file->frame_left;
  struct iovec parts[2] = {{into, wanted}, {file->header, sizeof file->header}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = whole ? 2 : 1};
  ssize_t got;
  do got = recvmsg(file->fd, &message, 0);
  while (got < 0 && errno == EINTR);
  if (got < 0) return errno == EAGAIN ? ETIMEDOUT : errno;
  if (got == 0) return EIO;
  *count = (size_t)got < wanted ? (size_t)got : wanted;
  file->header_size = (size_t)got - *count;
  file->frame_left -= (uint32_t)*count;
  file->arriving += (tOffset)*count;
  return 0;
}

static bool ensure_buffer(hdfsFile file) {
  if (file->buffer != NULL) return true;
  file->buffer = malloc(kBuffer);
  file->buffer_capacity = file->buffer == NULL ? 0 : kBuffer;
  return file->buffer != NULL;
}

/* Receives and drops what arrives before `offset`. */
static int skip_to(hdfsFile file, tOffset offset, const char* function) {
  file->buffered = 0;
  while (file->arriving < offset && (file->requests > 0 || file->frame_left > 0)) {
    const tOffset gap = offset - file->arriving;
    size_t count = 0;
    const size_t most = gap < (tOffset)file->buffer_capacity ? (size_t)gap : file->buffer_capacity;
    const int error = receive_some(file, file->buffer, most, &count, function);
    if (error != 0) return error;
    if (count == 0) break;
  }
  return 0;
}

/* Brings the stream to `offset` and requests at least `want` bytes from there, and more if the program reads on. */
static int aim(hdfsFile file, tOffset offset, tOffset want, const char* function) {
  const bool on_its_way = file->requests > 0 && offset >= file->arriving && offset <= file->requested &&
                          offset - file->arriving <= kSkip;
  int error = 0;
  if (!on_its_way && file->requests > 0)
    error = skip_to(file, file->requested, function); /* what was requested in vain, at most kMostAhead */
  else if (on_its_way)
    error = skip_to(file, offset, function);
  if (error != 0) return error;
  while (!on_its_way && file->requests > 0) { /* the OK of the last request */
    error = next_frame(file, function);
    if (error != 0) return error;
    if (file->frame_left > 0) return EPROTO;
  }
  if (file->requests == 0) file->arriving = file->requested = offset;
  tOffset ahead = want < kSmallest ? kSmallest : want;
  if (file->streak > 0) {
    const tOffset more = (tOffset)kDirect << (file->streak < 4 ? file->streak : 4);
    if (ahead < more) ahead = more;
  }
  if (ahead > kMostAhead) ahead = kMostAhead;
  const tOffset left = file->requested - file->arriving;
  /* Half of it has arrived: request the rest now, so that the helper never waits for the program. */
  if (left > ahead / 2 && left > 0) return 0;
  tOffset more = ahead - left;
  if (more > file->length - file->requested) more = file->length - file->requested;
  return more > 0 ? request_range(file, file->requested, more) : 0;
}

static size_t take_buffered(hdfsFile file, tOffset position, unsigned char* into, size_t size) {
  if (file->buffered == 0 || position < file->buffered_at) return 0;
  const uint64_t at = (uint64_t)(position - file->buffered_at);
  if (at >= file->buffered) return 0;
  size_t count = file->buffered - (size_t)at;
  if (count > size) count = size;
  memcpy(into, file->buffer + at, count);
  return count;
}

/* Reads bytes that are not in the buffer. */
static int fetch(hdfsFile file, tOffset position, unsigned char* into, size_t size, size_t* count,
                 const char* function) {
  *count = 0;
  if (!ensure_buffer(file)) return ENOMEM;
  int error = aim(file, position, (tOffset)size, function);
  if (error != 0) return error;
  if (size >= kDirect) return receive_some(file, into, size, count, function);
  size_t got = 0;
  error = receive_some(file, file->buffer, file->buffer_capacity, &got, function);
  if (error != 0) return error;
  file->buffered = got;
  file->buffered_at = position;
  *count = take_buffered(file, position, into, size);
  return 0;
}

tSize reader_read(hdfsFile file, tOffset position, void* buffer, tSize length, const char* function) {
  unsigned char* into = buffer;
  size_t done = 0;
  const size_t wanted = (size_t)length;
  int repeats = 0;
  file->streak = position == file->last_end ? file->streak + (file->streak < 8) : 0;
  while (done < wanted && position + (tOffset)done < file->length) {
    const tOffset at = position + (tOffset)done;
    size_t count = take_buffered(file, at, into + done, wanted - done);
    if (count == 0) {
      size_t left = wanted - done;
      if (left > (uint64_t)(file->length - at)) left = (size_t)(file->length - at);
      int error = 0;
      if (file->fd < 0) {
        const tOffset before = file->length;
        if (reader_open(file, function) != 0) return -1;
        if (file->length > before) file->length = before; /* a file that is read keeps its length */
      }
      error = fetch(file, at, into + done, left, &count, function);
      if (error < 0) { /* HDFS has refused it */
        errno = -error;
        return -1;
      }
      if (error == 0 && count == 0) break; /* the file was truncated */
      if (error != 0) {
        reader_forget(file);
        /* The helper has ended: a new one reads on. */
        if ((error == EIO || error == EPIPE || error == ECONNRESET) && ++repeats < 3) continue;
        return (tSize)fail_here(error, function, file->uri);
      }
    }
    done += count;
  }
  file->last_end = position + (tOffset)done;
  file->bytes_read += done;
  return (tSize)done;
}

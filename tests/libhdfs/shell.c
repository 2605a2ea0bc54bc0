/* A program with libhdfs.so that tests drive line by line; each answer is one line: "ok ...", or "errno N message".
 *
 *   exists PATH | mkdir PATH | open R|W|A PATH | pread FILE OFFSET SIZE | read FILE SIZE | write FILE SIZE | hflush FILE | close FILE
 *   time-read PATH PIECE | time-write PATH MEBIBYTES
 *
 * Bytes of files are those of pattern(offset). */
#include "libhdfs/client/hdfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static hdfsFS fs;
static hdfsFile files[64];

static unsigned char pattern(int64_t offset) {
  return (unsigned char)((uint64_t)offset * 2654435761u >> 13);
}

static void refuse(void) {
  const int code = errno;
  printf("errno %d %s\n", code, hdfsGetLastExceptionRootCause() ? hdfsGetLastExceptionRootCause() : "");
}

static void answer(int64_t result) {
  if (result < 0)
    refuse();
  else
    printf("ok %lld\n", (long long)result);
}

/* Checks the bytes. */
static void answer_bytes(int64_t offset, const unsigned char* bytes, tSize count) {
  for (tSize i = 0; i < count; ++i) {
    if (bytes[i] != pattern(offset + i)) {
      printf("wrong byte at %lld\n", (long long)(offset + i));
      return;
    }
  }
  answer(count);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void time_read(const char* path, int piece) {
  unsigned char* buffer = malloc((size_t)piece);
  hdfsFile file = hdfsOpenFile(fs, path, O_RDONLY, 0, 0, 0);
  if (file == NULL) {
    refuse();
    return;
  }
  const double begin = now();
  int64_t done = 0;
  tSize count;
  while ((count = hdfsPread(fs, file, done, buffer, piece)) > 0) done += count;
  const double seconds = now() - begin;
  if (count < 0) refuse();
  else printf("ok %lld %.6f\n", (long long)done, seconds);
  hdfsCloseFile(fs, file);
  free(buffer);
}

static void time_write(const char* path, int mebibytes) {
  unsigned char* buffer = malloc(1 << 20);
  for (int i = 0; i < 1 << 20; ++i) buffer[i] = pattern(i);
  const double begin = now();
  hdfsFile file = hdfsOpenFile(fs, path, O_WRONLY, 0, 1, 0);
  for (int i = 0; file != NULL && i < mebibytes; ++i)
    if (hdfsWrite(fs, file, buffer, 1 << 20) < 0) break;
  const int closed = file == NULL ? -1 : hdfsCloseFile(fs, file);
  if (closed != 0) refuse();
  else printf("ok %lld %.6f\n", (long long)mebibytes << 20, now() - begin);
  free(buffer);
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  fs = hdfsConnect("default", 0);
  if (fs == NULL) refuse();
  else puts("ok ready");
  static int64_t written[64];
  static int64_t position[64];
  char line[2048], verb[32], a[1024], b[1024];
  while (fgets(line, sizeof line, stdin) != NULL) {
    *a = *b = 0;
    int64_t number = 0;
    const int words = sscanf(line, "%31s %1023s %1023s %lld", verb, a, b, (long long*)&number);
    const int at = atoi(a) % 64;
    if (words < 2) continue;
    if (strcmp(verb, "open") == 0) {
      int slot = 0;
      while (files[slot] != NULL) ++slot;
      const int flags = *a == 'R' ? O_RDONLY : *a == 'W' ? O_WRONLY : O_WRONLY | O_APPEND;
      files[slot] = hdfsOpenFile(fs, b, flags, 0, 0, 0);
      written[slot] = files[slot] != NULL && *a != 'R' ? hdfsTell(fs, files[slot]) : 0;
      position[slot] = 0;
      answer(files[slot] == NULL ? -1 : slot);
    } else if (strcmp(verb, "pread") == 0 || strcmp(verb, "read") == 0) {
      const int64_t offset = *verb == 'p' ? atoll(b) : position[at];
      const tSize size = (tSize)(*verb == 'p' ? number : atoll(b));
      unsigned char* buffer = malloc((size_t)size + 1);
      tSize count = 0;
      for (tSize got = 1; count < size && got > 0; count += got > 0 ? got : 0) {
        got = *verb == 'p' ? hdfsPread(fs, files[at], offset + count, buffer + count, size - count)
                           : hdfsRead(fs, files[at], buffer + count, size - count);
        if (got < 0) count = -1;
        if (got <= 0) break;
      }
      if (count < 0) refuse();
      else answer_bytes(offset, buffer, count);
      if (*verb == 'r' && count > 0) position[at] += count;
      free(buffer);
    } else if (strcmp(verb, "write") == 0) {
      const tSize size = (tSize)atoll(b);
      unsigned char* buffer = malloc((size_t)size + 1);
      for (tSize i = 0; i < size; ++i) buffer[i] = pattern(written[at] + i);
      const tSize count = hdfsWrite(fs, files[at], buffer, size);
      if (count > 0) written[at] += count;
      answer(count);
      free(buffer);
    } else if (strcmp(verb, "hflush") == 0) {
      answer(hdfsHFlush(fs, files[at]));
    } else if (strcmp(verb, "close") == 0) {
      hdfsFile file = files[at];
      files[at] = NULL;
      answer(hdfsCloseFile(fs, file));
    } else if (strcmp(verb, "exists") == 0) {
      answer(hdfsExists(fs, a));
    } else if (strcmp(verb, "mkdir") == 0) {
      answer(hdfsCreateDirectory(fs, a));
    } else if (strcmp(verb, "time-read") == 0) {
      time_read(a, atoi(b));
    } else if (strcmp(verb, "time-write") == 0) {
      time_write(a, atoi(b));
    } else {
      puts("unknown");
    }
  }
  return 0;
}

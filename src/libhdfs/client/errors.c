#include "internal.h"

#include <stdio.h>
#include <string.h>

/* The initial-exec model would need space in the program's own block, which a library that is loaded late may not get. */
static __thread char root_cause[512];
static __thread char stack_trace[1024];

/* Failures that programs use as answers. */
static bool is_expected(int code) {
  return code == ENOENT || code == EEXIST || code == EBADF || code == ENOTSUP;
}

/* The length of the UTF-8 character at `text`, 0 if it is none or a control character. */
static size_t printable(const unsigned char* text) {
  if (*text < 0x80) return *text >= 0x20 && *text != 0x7f;
  const size_t size = *text >= 0xf0 && *text < 0xf5 ? 4 : *text >= 0xe0 ? 3 : *text >= 0xc2 ? 2 : 0;
  if (*text >= 0xf5) return 0;
  for (size_t i = 1; i < size; ++i)
    if ((text[i] & 0xc0) != 0x80) return 0;
  return *text == 0xc2 && text[1] < 0xa0 ? 0 : size;
}

/* Names come from anywhere, and stderr may be a terminal. */
static void make_printable(char* text) {
  unsigned char* at = (unsigned char*)text;
  while (*at != 0) {
    const size_t size = printable(at);
    if (size == 0) *at = '?';
    at += size == 0 ? 1 : size;
  }
}

int fail_with(int code, const char* function, const char* path, const char* message, const char* java) {
  snprintf(root_cause, sizeof root_cause, "%s%s%s", java != NULL ? java : "", java != NULL && *java != 0 ? ": " : "",
           message);
  snprintf(stack_trace, sizeof stack_trace, "%s(%.300s): %s", function, path != NULL ? path : "", root_cause);
  make_printable(stack_trace);
  if (!is_expected(code)) fprintf(stderr, "libhdfs (ydl): %s\n", stack_trace);
  errno = code;
  return -1;
}

int fail_here(int code, const char* function, const char* path) {
  char text[128];
  /* strerror() is not safe in threads, and which strerror_r() there is depends on the compilation. */
  if (code == EBADF)
    snprintf(text, sizeof text, "the file is not open for this operation");
  else if (code == ENOTSUP)
    snprintf(text, sizeof text, "ydl's libhdfs does not support this operation");
  else if (code == ENOMEM)
    snprintf(text, sizeof text, "out of memory");
  else if (code == EINVAL)
    snprintf(text, sizeof text, "invalid argument");
  else if (code == EPROTO)
    snprintf(text, sizeof text, "the process of ydl that reads HDFS sent an invalid answer");
  else if (code == ETIMEDOUT)
    snprintf(text, sizeof text, "the process of ydl that reads HDFS did not answer for 15 minutes");
  else if (code == EPIPE || code == ECONNRESET || code == EIO)
    snprintf(text, sizeof text, "the process of ydl that reads HDFS has ended");
  else
    snprintf(text, sizeof text, "errno %d", code);
  return fail_with(code, function, path, text, NULL);
}

char* hdfsGetLastExceptionRootCause(void) {
  return root_cause[0] == 0 ? NULL : root_cause;
}

char* hdfsGetLastExceptionStackTrace(void) {
  return stack_trace[0] == 0 ? NULL : stack_trace;
}

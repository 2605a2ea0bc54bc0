/* What the parts of libhdfs.so share. Nothing here is visible to the program that loads the library. */
#ifndef YDL_LIBHDFS_INTERNAL_H
#define YDL_LIBHDFS_INTERNAL_H

#include "../wire.h"
#include "hdfs.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* ---- message.c: bodies of frames, without I/O ---- */

/* A request that is being written. After a failed allocation `failed` is set, and the rest has no effect. */
struct message {
  unsigned char* data;
  size_t size;
  size_t capacity;
  bool failed;
};
void message_begin(struct message* message, unsigned kind);
void message_u32(struct message* message, uint32_t value);
void message_u64(struct message* message, uint64_t value);
void message_text(struct message* message, const char* text);
/* Writes the length into the header. Returns 0, or ENOMEM or ENAMETOOLONG. */
int message_end(struct message* message);
void message_free(struct message* message);

struct frame_header {
  uint32_t size;
  unsigned kind;
};
/* Returns 0, or EPROTO if no answer can have this header. */
int decode_header(const unsigned char bytes[kYdlFrameHeader], struct frame_header* header);
void encode_header(unsigned char bytes[kYdlFrameHeader], unsigned kind, size_t size);

/* An answer that is being read. Reading past the end sets `broken` and returns 0 or NULL. */
struct body {
  const unsigned char* data;
  size_t size;
  size_t at;
  bool broken;
};
uint32_t body_u32(struct body* body);
uint64_t body_u64(struct body* body);
/* A copy that the caller frees; NULL also without memory. */
char* body_text(struct body* body);
bool body_done(const struct body* body);

/* ---- errors.c: the last failure of this thread ---- */

/* Remembers a failure, prints it if nobody expects it, and sets errno. Returns -1. */
int fail_with(int code, const char* function, const char* path, const char* message, const char* java);
/* The same for a failure of this library. */
int fail_here(int code, const char* function, const char* path);

/* ---- helper.c: the process of ydl that does the work ---- */

/* A new connection to the helper of this process, which is started if there is none. Returns -1 with errno and a message
 * in `why` after a failure. */
int connect_to_helper(char* why, size_t size);
/* Protects the list of open files and the idle connections; held across fork(). */
extern pthread_mutex_t global_lock;

/* ---- connection.c: requests and answers ---- */

struct answer {
  unsigned kind;
  unsigned char* data; /* freed by answer_free */
  struct body body;
};
void answer_free(struct answer* answer);

/* A connection for one request or for a file: an idle one or a new one. Returns -1 after fail_with(). */
int take_connection(const char* function, const char* path);
void give_connection(int fd);
void close_idle_connections(void);
/* Both return 0, or errno. */
int send_all(int fd, const void* head, size_t head_size, const void* data, size_t size);
int receive_all(int fd, void* into, size_t size);
int receive_answer(int fd, struct answer* answer);
/* Sends the request, which is freed, and receives one answer. Returns 0 and keeps the connection open, or -1 after
 * fail_with(): then the connection is closed. */
int ask_on(int fd, struct message* request, struct answer* answer, const char* function, const char* path);
/* The same on a connection of its own. */
int ask(struct message* request, struct answer* answer, const char* function, const char* path);
/* The same for an answer without content. */
int ask_and_forget(struct message* request, const char* function, const char* path);

/* ---- files ---- */

struct hdfs_internal {
  char* authority; /* "cluster" in hdfs://cluster/a/b */
  char* home;      /* the working directory at the start */
  char* directory; /* hdfsSetWorkingDirectory; protected by global_lock */
};
/* The URI of a path of the caller, which frees it. NULL after fail_with(). */
char* uri_of(hdfsFS fs, const char* path, const char* function);

struct hdfsFile_internal {
  pthread_mutex_t lock;
  struct hdfsFile_internal* next; /* of all open files; protected by global_lock */
  struct hdfsFile_internal** link;
  char* uri;
  bool writes;
  bool forked; /* opened by the parent of this process */
  int fd;      /* -1: a reader opens the file again when it needs it */
  tOffset position;

  /* A reader. Requested bytes arrive in order: those from `arriving` to `requested`, of which the current frame has
   * `frame_left`. The buffer has bytes from `buffered_at` on. */
  tOffset length;
  tOffset arriving;
  tOffset requested;
  uint32_t requests;
  uint32_t frame_left;
  unsigned char header[kYdlFrameHeader];
  size_t header_size;
  unsigned char* buffer;
  size_t buffer_capacity;
  size_t buffered;
  tOffset buffered_at;
  tOffset last_end;
  unsigned streak;
  uint64_t bytes_read;

  /* A writer: the buffer has `buffered` bytes that were not sent. */
  int failed; /* errno of the failure that ended it */
};

int reader_open(hdfsFile file, const char* function);
tSize reader_read(hdfsFile file, tOffset position, void* buffer, tSize length, const char* function);
void reader_forget(hdfsFile file);
int writer_open(hdfsFile file, bool append, int replication, int64_t block_size, const char* function);
tSize writer_write(hdfsFile file, const void* buffer, tSize length, const char* function);
int writer_pass_on(hdfsFile file, const char* function);
int writer_flush(hdfsFile file, bool to_disk, const char* function);
int writer_close(hdfsFile file, const char* function);

/* In the child after fork(). */
void forget_files_of_parent(void);

#endif

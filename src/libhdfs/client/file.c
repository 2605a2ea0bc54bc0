/* Files: opening, closing, and the calls that readers and writers share. */
#include "internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static hdfsFile open_files;

static void add_to_open_files(hdfsFile file) {
  pthread_mutex_lock(&global_lock);
  file->next = open_files;
  file->link = &open_files;
  if (open_files != NULL) open_files->link = &file->next;
  open_files = file;
  pthread_mutex_unlock(&global_lock);
}

static void remove_from_open_files(hdfsFile file) {
  pthread_mutex_lock(&global_lock);
  *file->link = file->next;
  if (file->next != NULL) file->next->link = file->link;
  pthread_mutex_unlock(&global_lock);
}

/* The connections of the parent's files must not be used here, and a lock may belong to a thread that does not exist
 * here. A reader opens its file again; a writer belongs to the parent. */
void forget_files_of_parent(void) {
  for (hdfsFile file = open_files; file != NULL; file = file->next) {
    pthread_mutex_init(&file->lock, NULL);
    if (file->writes) {
      if (file->fd >= 0) close(file->fd);
      file->fd = -1;
      file->forked = true;
    } else {
      reader_forget(file);
    }
  }
}

static void free_file(hdfsFile file) {
  if (file->fd >= 0) close(file->fd);
  pthread_mutex_destroy(&file->lock);
  free(file->buffer);
  free(file->uri);
  free(file);
}

static hdfsFile open_file(hdfsFS fs, const char* path, int flags, int replication, int64_t block_size,
                          const char* function) {
  const int access = flags & O_ACCMODE;
  if (access != O_RDONLY && access != O_WRONLY) {
    fail_here(ENOTSUP, function, path);
    return NULL;
  }
  if (replication < 0 || block_size < 0) {
    fail_here(EINVAL, function, path);
    return NULL;
  }
  char* uri = uri_of(fs, path, function);
  if (uri == NULL) return NULL;
  hdfsFile file = calloc(1, sizeof *file);
  if (file == NULL) {
    free(uri);
    fail_here(ENOMEM, function, path);
    return NULL;
  }
  file->uri = uri;
  file->fd = -1;
  file->last_end = -1;
  file->writes = access == O_WRONLY;
  pthread_mutex_init(&file->lock, NULL);
  const int opened = file->writes
                         ? writer_open(file, (flags & O_APPEND) != 0, replication, block_size, function)
                         : reader_open(file, function);
  if (opened != 0) {
    const int error = errno;
    file->fd = -1; /* was closed */
    free_file(file);
    errno = error;
    return NULL;
  }
  add_to_open_files(file);
  return file;
}

hdfsFile hdfsOpenFile(hdfsFS fs, const char* path, int flags, int bufferSize, short replication, tSize blocksize) {
  (void)bufferSize;
  return open_file(fs, path, flags, replication, blocksize, "hdfsOpenFile");
}

int hdfsCloseFile(hdfsFS fs, hdfsFile file) {
  (void)fs;
  if (file == NULL) return fail_here(EBADF, "hdfsCloseFile", NULL);
  remove_from_open_files(file);
  pthread_mutex_lock(&file->lock);
  const int closed = file->writes ? writer_close(file, "hdfsCloseFile") : 0;
  const int error = errno;
  pthread_mutex_unlock(&file->lock);
  free_file(file);
  errno = error;
  return closed;
}

/* Locks a file that is open for this. Otherwise EBADF. */
static bool lock_file(hdfsFile file, bool writes, const char* function) {
  if (file == NULL || file->writes != writes) {
    fail_here(EBADF, function, file == NULL ? NULL : file->uri);
    return false;
  }
  pthread_mutex_lock(&file->lock);
  return true;
}

static tSize unlock_file(hdfsFile file, tSize result) {
  const int error = errno;
  pthread_mutex_unlock(&file->lock);
  errno = error;
  return result;
}

tSize hdfsRead(hdfsFS fs, hdfsFile file, void* buffer, tSize length) {
  (void)fs;
  if (length < 0) return (tSize)fail_here(EINVAL, "hdfsRead", NULL);
  if (!lock_file(file, false, "hdfsRead")) return -1;
  const tSize count = reader_read(file, file->position, buffer, length, "hdfsRead");
  if (count > 0) file->position += count;
  return unlock_file(file, count);
}

tSize hdfsPread(hdfsFS fs, hdfsFile file, tOffset position, void* buffer, tSize length) {
  (void)fs;
  if (position < 0 || length < 0) return (tSize)fail_here(EINVAL, "hdfsPread", NULL);
  if (!lock_file(file, false, "hdfsPread")) return -1;
  return unlock_file(file, reader_read(file, position, buffer, length, "hdfsPread"));
}

int hdfsPreadFully(hdfsFS fs, hdfsFile file, tOffset position, void* buffer, tSize length) {
  const tSize count = hdfsPread(fs, file, position, buffer, length);
  if (count < 0) return -1;
  if (count == length) return 0;
  return fail_with(EIO, "hdfsPreadFully", file->uri, "the file ends before the last byte", NULL);
}

tSize hdfsWrite(hdfsFS fs, hdfsFile file, const void* buffer, tSize length) {
  (void)fs;
  if (length < 0) return (tSize)fail_here(EINVAL, "hdfsWrite", NULL);
  if (!lock_file(file, true, "hdfsWrite")) return -1;
  return unlock_file(file, writer_write(file, buffer, length, "hdfsWrite"));
}

int hdfsFlush(hdfsFS fs, hdfsFile file) {
  (void)fs;
  if (!lock_file(file, true, "hdfsFlush")) return -1;
  return unlock_file(file, writer_pass_on(file, "hdfsFlush"));
}

int hdfsHFlush(hdfsFS fs, hdfsFile file) {
  (void)fs;
  if (!lock_file(file, true, "hdfsHFlush")) return -1;
  return unlock_file(file, writer_flush(file, false, "hdfsHFlush"));
}

int hdfsHSync(hdfsFS fs, hdfsFile file) {
  (void)fs;
  if (!lock_file(file, true, "hdfsHSync")) return -1;
  return unlock_file(file, writer_flush(file, true, "hdfsHSync"));
}

int hdfsSeek(hdfsFS fs, hdfsFile file, tOffset desiredPos) {
  (void)fs;
  if (!lock_file(file, false, "hdfsSeek")) return -1;
  if (desiredPos < 0 || desiredPos > file->length) {
    unlock_file(file, 0);
    return fail_here(EINVAL, "hdfsSeek", file->uri);
  }
  file->position = desiredPos;
  return unlock_file(file, 0);
}

tOffset hdfsTell(hdfsFS fs, hdfsFile file) {
  (void)fs;
  if (file == NULL) return fail_here(EBADF, "hdfsTell", NULL);
  pthread_mutex_lock(&file->lock);
  const tOffset position = file->position;
  pthread_mutex_unlock(&file->lock);
  return position;
}

int hdfsAvailable(hdfsFS fs, hdfsFile file) {
  (void)fs;
  if (!lock_file(file, false, "hdfsAvailable")) return -1;
  const tOffset left = file->length - file->position;
  return unlock_file(file, left > INT_MAX ? INT_MAX : (tSize)left);
}

int hdfsUnbufferFile(hdfsFile file) {
  if (!lock_file(file, false, "hdfsUnbufferFile")) return -1;
  reader_forget(file);
  free(file->buffer);
  file->buffer = NULL;
  file->buffer_capacity = 0;
  return unlock_file(file, 0);
}

int hdfsFileIsOpenForRead(hdfsFile file) {
  return file != NULL && !file->writes;
}

int hdfsFileIsOpenForWrite(hdfsFile file) {
  return file != NULL && file->writes;
}

/* ---- builders ---- */

struct hdfsStreamBuilder {
  hdfsFS fs;
  char* path;
  int flags;
  int replication;
  int64_t block_size;
};

struct hdfsStreamBuilder* hdfsStreamBuilderAlloc(hdfsFS fs, const char* path, int flags) {
  struct hdfsStreamBuilder* builder = calloc(1, sizeof *builder);
  if (builder != NULL && path != NULL) builder->path = strdup(path);
  if (builder == NULL || builder->path == NULL) {
    free(builder);
    fail_here(path == NULL ? EINVAL : ENOMEM, "hdfsStreamBuilderAlloc", path);
    return NULL;
  }
  builder->fs = fs;
  builder->flags = flags;
  return builder;
}

void hdfsStreamBuilderFree(struct hdfsStreamBuilder* bld) {
  if (bld == NULL) return;
  free(bld->path);
  free(bld);
}

static int set_of_writer(struct hdfsStreamBuilder* bld, const char* function) {
  return (bld->flags & O_ACCMODE) == O_WRONLY ? 0 : fail_here(EINVAL, function, bld->path);
}

int hdfsStreamBuilderSetBufferSize(struct hdfsStreamBuilder* bld, int32_t bufferSize) {
  (void)bld;
  (void)bufferSize;
  return 0;
}

int hdfsStreamBuilderSetReplication(struct hdfsStreamBuilder* bld, int16_t replication) {
  bld->replication = replication;
  return set_of_writer(bld, "hdfsStreamBuilderSetReplication");
}

int hdfsStreamBuilderSetDefaultBlockSize(struct hdfsStreamBuilder* bld, int64_t defaultBlockSize) {
  bld->block_size = defaultBlockSize;
  return set_of_writer(bld, "hdfsStreamBuilderSetDefaultBlockSize");
}

hdfsFile hdfsStreamBuilderBuild(struct hdfsStreamBuilder* bld) {
  hdfsFile file = open_file(bld->fs, bld->path, bld->flags, bld->replication, bld->block_size, "hdfsStreamBuilderBuild");
  const int error = errno;
  hdfsStreamBuilderFree(bld);
  errno = error;
  return file;
}

/* The file is opened by Build: the result is there at once. */
struct hdfsOpenFileBuilder {
  hdfsFS fs;
  char* path;
};
struct hdfsOpenFileFuture {
  hdfsFile file;
  int error;
};

hdfsOpenFileBuilder* hdfsOpenFileBuilderAlloc(hdfsFS fs, const char* path) {
  hdfsOpenFileBuilder* builder = calloc(1, sizeof *builder);
  if (builder != NULL && path != NULL) builder->path = strdup(path);
  if (builder == NULL || builder->path == NULL) {
    free(builder);
    fail_here(path == NULL ? EINVAL : ENOMEM, "hdfsOpenFileBuilderAlloc", path);
    return NULL;
  }
  builder->fs = fs;
  return builder;
}

hdfsOpenFileBuilder* hdfsOpenFileBuilderMust(hdfsOpenFileBuilder* builder, const char* key, const char* value) {
  (void)value;
  fail_here(ENOTSUP, "hdfsOpenFileBuilderMust", key);
  (void)builder;
  return NULL;
}

hdfsOpenFileBuilder* hdfsOpenFileBuilderOpt(hdfsOpenFileBuilder* builder, const char* key, const char* value) {
  (void)key;
  (void)value;
  return builder;
}

hdfsOpenFileFuture* hdfsOpenFileBuilderBuild(hdfsOpenFileBuilder* builder) {
  hdfsOpenFileFuture* future = calloc(1, sizeof *future);
  if (future == NULL) {
    fail_here(ENOMEM, "hdfsOpenFileBuilderBuild", builder->path);
    return NULL;
  }
  future->file = open_file(builder->fs, builder->path, O_RDONLY, 0, 0, "hdfsOpenFileBuilderBuild");
  future->error = future->file == NULL ? errno : 0;
  return future;
}

void hdfsOpenFileBuilderFree(hdfsOpenFileBuilder* builder) {
  if (builder == NULL) return;
  free(builder->path);
  free(builder);
}

hdfsFile hdfsOpenFileFutureGet(hdfsOpenFileFuture* future) {
  hdfsFile file = future->file;
  future->file = NULL; /* now the caller's */
  if (file == NULL) errno = future->error != 0 ? future->error : EINVAL;
  return file;
}

hdfsFile hdfsOpenFileFutureGetWithTimeout(hdfsOpenFileFuture* future, int64_t timeout, javaConcurrentTimeUnit timeUnit) {
  (void)timeout;
  (void)timeUnit;
  return hdfsOpenFileFutureGet(future);
}

int hdfsOpenFileFutureCancel(hdfsOpenFileFuture* future, int mayInterruptIfRunning) {
  (void)future;
  (void)mayInterruptIfRunning;
  return fail_here(ENOTSUP, "hdfsOpenFileFutureCancel", NULL);
}

void hdfsOpenFileFutureFree(hdfsOpenFileFuture* future) {
  if (future == NULL) return;
  if (future->file != NULL) hdfsCloseFile(NULL, future->file);
  free(future);
}

/* ---- statistics ---- */

int hdfsFileGetReadStatistics(hdfsFile file, struct hdfsReadStatistics** stats) {
  if (!lock_file(file, false, "hdfsFileGetReadStatistics")) return -1;
  *stats = calloc(1, sizeof **stats);
  if (*stats != NULL) (*stats)->totalBytesRead = file->bytes_read;
  unlock_file(file, 0);
  return *stats != NULL ? 0 : fail_here(ENOMEM, "hdfsFileGetReadStatistics", NULL);
}

int64_t hdfsReadStatisticsGetRemoteBytesRead(const struct hdfsReadStatistics* stats) {
  return (int64_t)(stats->totalBytesRead - stats->totalLocalBytesRead);
}

int hdfsFileClearReadStatistics(hdfsFile file) {
  if (!lock_file(file, false, "hdfsFileClearReadStatistics")) return -1;
  file->bytes_read = 0;
  return unlock_file(file, 0);
}

void hdfsFileFreeReadStatistics(struct hdfsReadStatistics* stats) {
  free(stats);
}

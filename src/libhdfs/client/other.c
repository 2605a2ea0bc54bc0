/* Copies, and the functions of Hadoop's library that need a JVM or Hadoop's own client. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- copy and move ---- */

static int copy_bytes(hdfsFS from_fs, hdfsFile from, hdfsFS to_fs, hdfsFile to) {
  const tSize size = 1 << 20;
  char* buffer = malloc((size_t)size);
  if (buffer == NULL) return fail_here(ENOMEM, "hdfsCopy", NULL);
  tSize count;
  int result = 0;
  while (result == 0 && (count = hdfsRead(from_fs, from, buffer, size)) != 0)
    if (count < 0 || hdfsWrite(to_fs, to, buffer, count) != count) result = -1;
  const int error = errno;
  free(buffer);
  errno = error;
  return result;
}

/* A target that is a directory receives the file under its name. */
static char* target_of(const char* from, hdfsFS fs, const char* to) {
  hdfsFileInfo* info = hdfsGetPathInfo(fs, to);
  const bool inside = info != NULL && info->mKind == kObjectKindDirectory;
  hdfsFreeFileInfo(info, 1);
  if (!inside) return strdup(to);
  const char* slash = strrchr(from, '/');
  const char* name = slash == NULL ? from : slash + 1;
  char* target = malloc(strlen(to) + strlen(name) + 2);
  if (target != NULL) strcat(strcat(strcpy(target, to), "/"), name);
  return target;
}

static int copy_file(hdfsFS srcFS, const char* src, hdfsFS dstFS, const char* dst) {
  hdfsFile from = hdfsOpenFile(srcFS, src, O_RDONLY, 0, 0, 0);
  if (from == NULL) return -1;
  int error = 0;
  char* target = target_of(src, dstFS, dst);
  hdfsFile to = target == NULL ? NULL : hdfsOpenFile(dstFS, target, O_WRONLY, 0, 0, 0);
  int result = to == NULL ? -1 : copy_bytes(srcFS, from, dstFS, to);
  if (result != 0) error = errno;
  if (to != NULL && hdfsCloseFile(dstFS, to) != 0 && result == 0) {
    result = -1;
    error = errno;
  }
  if (to != NULL && result != 0) hdfsDelete(dstFS, target, 0); /* never leave a part of a file */
  hdfsCloseFile(srcFS, from);
  free(target);
  errno = error;
  return result;
}

static int check_is_file(hdfsFS fs, const char* path, const char* function) {
  hdfsFileInfo* info = hdfsGetPathInfo(fs, path);
  if (info == NULL) return -1;
  const bool is_file = info->mKind == kObjectKindFile;
  hdfsFreeFileInfo(info, 1);
  return is_file ? 0 : fail_here(ENOTSUP, function, path);
}

int hdfsCopy(hdfsFS srcFS, const char* src, hdfsFS dstFS, const char* dst) {
  if (check_is_file(srcFS, src, "hdfsCopy") != 0) return -1;
  return copy_file(srcFS, src, dstFS, dst);
}

int hdfsMove(hdfsFS srcFS, const char* src, hdfsFS dstFS, const char* dst) {
  if (srcFS != NULL && dstFS != NULL && strcmp(srcFS->authority, dstFS->authority) == 0) return hdfsRename(srcFS, src, dst);
  if (hdfsCopy(srcFS, src, dstFS, dst) != 0) return -1;
  return hdfsDelete(srcFS, src, 0);
}

/* ---- not supported ---- */

int hdfsTruncateFile(hdfsFS fs, const char* path, tOffset newlength) {
  (void)fs;
  (void)newlength;
  return fail_here(ENOTSUP, "hdfsTruncateFile", path);
}

int hdfsGetHedgedReadMetrics(hdfsFS fs, struct hdfsHedgedReadMetrics** metrics) {
  (void)fs;
  *metrics = calloc(1, sizeof **metrics); /* there are no hedged reads */
  return *metrics != NULL ? 0 : fail_here(ENOMEM, "hdfsGetHedgedReadMetrics", NULL);
}

void hdfsFreeHedgedReadMetrics(struct hdfsHedgedReadMetrics* metrics) {
  free(metrics);
}

struct hadoopRzOptions {
  int skip;
};

struct hadoopRzOptions* hadoopRzOptionsAlloc(void) {
  return calloc(1, sizeof(struct hadoopRzOptions));
}

int hadoopRzOptionsSetSkipChecksum(struct hadoopRzOptions* opts, int skip) {
  opts->skip = skip;
  return 0;
}

int hadoopRzOptionsSetByteBufferPool(struct hadoopRzOptions* opts, const char* className) {
  (void)opts;
  (void)className;
  return 0;
}

void hadoopRzOptionsFree(struct hadoopRzOptions* opts) {
  free(opts);
}

struct hadoopRzBuffer* hadoopReadZero(hdfsFile file, struct hadoopRzOptions* opts, int32_t maxLength) {
  (void)opts;
  (void)maxLength;
  fail_here(ENOTSUP, "hadoopReadZero", file == NULL ? NULL : file->uri);
  return NULL;
}

int32_t hadoopRzBufferLength(const struct hadoopRzBuffer* buffer) {
  (void)buffer;
  return 0;
}

const void* hadoopRzBufferGet(const struct hadoopRzBuffer* buffer) {
  (void)buffer;
  return NULL;
}

void hadoopRzBufferFree(hdfsFile file, struct hadoopRzBuffer* buffer) {
  (void)file;
  (void)buffer;
}

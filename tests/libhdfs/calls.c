/* Calls every function of libhdfs.so against a real HDFS: calls FOLDER, an existing directory. Prints each failed check. */
#include "libhdfs/client/hdfs.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                                            \
  do {                                                                              \
    if (!(condition)) {                                                             \
      printf("calls.c:%d: %s (errno %d: %s)\n", __LINE__, #condition, errno,        \
             hdfsGetLastExceptionRootCause() ? hdfsGetLastExceptionRootCause() : ""); \
      ++failures;                                                                   \
    }                                                                               \
  } while (0)

/* A call that must fail with this errno. */
#define REFUSED(call, code)                                                                  \
  do {                                                                                       \
    errno = 0;                                                                               \
    const long result = (long)(call);                                                        \
    if ((result != -1 && result != 0) || errno != (code)) {                                  \
      printf("calls.c:%d: %s gave %ld with errno %d, not %d\n", __LINE__, #call, result, errno, code); \
      ++failures;                                                                            \
    }                                                                                        \
  } while (0)

static char path_room[8][512];
static const char* folder;
static const char* at(const char* name) {
  static int turn;
  char* path = path_room[turn++ % 8];
  snprintf(path, sizeof path_room[0], "%s/%s", folder, name);
  return path;
}

static void write_file(hdfsFS fs, const char* path, const char* text) {
  hdfsFile file = hdfsOpenFile(fs, path, O_WRONLY, 0, 0, 0);
  CHECK(file != NULL);
  if (file == NULL) return;
  CHECK(hdfsWrite(fs, file, text, (tSize)strlen(text)) == (tSize)strlen(text));
  CHECK(hdfsCloseFile(fs, file) == 0);
}

static int has(hdfsFS fs, const char* path, const char* text) {
  char buffer[256] = "";
  hdfsFile file = hdfsOpenFile(fs, path, O_RDONLY, 0, 0, 0);
  if (file == NULL) return 0;
  const tSize count = hdfsPread(fs, file, 0, buffer, sizeof buffer - 1);
  hdfsCloseFile(fs, file);
  return count == (tSize)strlen(text) && memcmp(buffer, text, (size_t)count) == 0;
}

static void connections(void) {
  const char* names[] = {"default", "hdfs:///", ""};
  for (int i = 0; i < 2; ++i) {
    hdfsFS fs = hdfsConnect(names[i], 0);
    CHECK(fs != NULL);
    if (fs != NULL) CHECK(hdfsExists(fs, "/") == 0 && hdfsDisconnect(fs) == 0);
  }
  char* value = NULL;
  CHECK(hdfsConfGetStr("fs.defaultFS", &value) == 0 && value != NULL);
  if (value != NULL) {
    hdfsFS by_uri = hdfsConnectNewInstance(value, 0);
    CHECK(by_uri != NULL && hdfsExists(by_uri, "/") == 0);
    if (by_uri != NULL) hdfsDisconnect(by_uri);
    hdfsConfStrFree(value);
  }
  CHECK(hdfsConfGetStr("no.such.key", &value) == 0 && value == NULL);
  int32_t number = 7;
  CHECK(hdfsConfGetInt("no.such.key", &number) == 0 && number == 7);
  REFUSED(hdfsConfGetInt("fs.defaultFS", &number), EINVAL);
  REFUSED(hdfsConnect(NULL, 0), ENOTSUP);
  REFUSED(hdfsConnectAsUser("default", 0, "somebody-else"), EACCES);
  REFUSED(hdfsConnectAsUserNewInstance("default", 0, "somebody-else"), EACCES);
  REFUSED(hdfsDisconnect(NULL), EBADF);
  REFUSED(hdfsBuilderConnect(NULL), EINVAL);
  struct hdfsBuilder* builder = hdfsNewBuilder();
  hdfsBuilderSetForceNewInstance(builder);
  hdfsBuilderSetNameNode(builder, "default");
  hdfsBuilderSetNameNodePort(builder, 0);
  hdfsBuilderSetKerbTicketCachePath(builder, NULL);
  CHECK(hdfsBuilderConfSetStr(builder, "dfs.replication", "1") == 0);
  hdfsFS fs = hdfsBuilderConnect(builder);
  CHECK(fs != NULL && hdfsExists(fs, folder) == 0);
  hdfsDisconnect(fs);
  builder = hdfsNewBuilder();
  hdfsBuilderSetUserName(builder, "somebody-else");
  hdfsFreeBuilder(builder);
}

static void reading(hdfsFS fs) {
  enum { kSize = 5 << 20 };
  unsigned char* data = malloc(kSize);
  unsigned char* back = malloc(kSize);
  for (int i = 0; i < kSize; ++i) data[i] = (unsigned char)((unsigned)i * 2654435761u >> 13);
  hdfsFile file = hdfsOpenFile(fs, at("large"), O_WRONLY, 0, 1, 1 << 20);
  CHECK(file != NULL && hdfsFileIsOpenForWrite(file) && !hdfsFileIsOpenForRead(file));
  CHECK(hdfsWrite(fs, file, data, 100) == 100 && hdfsTell(fs, file) == 100);
  CHECK(hdfsWrite(fs, file, data + 100, kSize - 100) == kSize - 100);
  CHECK(hdfsTell(fs, file) == kSize);
  REFUSED(hdfsRead(fs, file, back, 1), EBADF);
  REFUSED(hdfsSeek(fs, file, 0), EBADF);
  CHECK(hdfsCloseFile(fs, file) == 0);

  file = hdfsOpenFile(fs, at("large"), O_RDONLY, 0, 0, 0);
  CHECK(file != NULL && hdfsFileIsOpenForRead(file) && hdfsAvailable(fs, file) == kSize);
  REFUSED(hdfsWrite(fs, file, data, 1), EBADF);
  REFUSED(hdfsHFlush(fs, file), EBADF);
  int done = 0;
  for (tSize count; (count = hdfsRead(fs, file, back + done, 70001 < kSize - done ? 70001 : kSize - done)) > 0;) done += count;
  CHECK(done == kSize && memcmp(data, back, kSize) == 0);
  CHECK(hdfsRead(fs, file, back, 10) == 0); /* the end */
  CHECK(hdfsSeek(fs, file, 12345) == 0 && hdfsTell(fs, file) == 12345);
  CHECK(hdfsRead(fs, file, back, 10) == 10 && memcmp(back, data + 12345, 10) == 0);
  REFUSED(hdfsSeek(fs, file, kSize + 1), EINVAL);
  REFUSED(hdfsSeek(fs, file, -1), EINVAL);
  CHECK(hdfsPread(fs, file, kSize, back, 10) == 0 && hdfsPread(fs, file, kSize + 1000, back, 10) == 0);
  CHECK(hdfsPread(fs, file, 0, back, 0) == 0);
  REFUSED(hdfsPread(fs, file, -1, back, 10), EINVAL);
  srand(1);
  for (int i = 0; i < 400; ++i) { /* in every order, near and far, small and large */
    const int size = rand() % (i % 7 == 0 ? 1500000 : 5000);
    const int offset = i % 3 == 0 ? rand() % kSize : (int)hdfsTell(fs, file) + rand() % 300000;
    if (offset >= kSize) continue;
    const int expected = size < kSize - offset ? size : kSize - offset;
    memset(back, 0, (size_t)expected);
    int count = 0;
    for (tSize got; count < expected && (got = hdfsPread(fs, file, offset + count, back + count, expected - count)) > 0;) count += got;
    CHECK(count == expected && memcmp(back, data + offset, (size_t)expected) == 0);
    if (i % 5 == 0) CHECK(hdfsSeek(fs, file, offset) == 0);
  }
  CHECK(hdfsPreadFully(fs, file, kSize - 10, back, 10) == 0);
  REFUSED(hdfsPreadFully(fs, file, kSize - 10, back, 11), EIO);
  CHECK(hdfsUnbufferFile(file) == 0 && hdfsPread(fs, file, 5, back, 5) == 5 && memcmp(back, data + 5, 5) == 0);
  struct hdfsReadStatistics* stats = NULL;
  CHECK(hdfsFileGetReadStatistics(file, &stats) == 0 && stats->totalBytesRead > kSize);
  CHECK(hdfsReadStatisticsGetRemoteBytesRead(stats) == (int64_t)stats->totalBytesRead);
  hdfsFileFreeReadStatistics(stats);
  CHECK(hdfsFileClearReadStatistics(file) == 0);
  CHECK(hdfsCloseFile(fs, file) == 0);

  char*** hosts = hdfsGetHosts(fs, at("large"), 0, kSize);
  CHECK(hosts != NULL && hosts[0] != NULL && hosts[0][0] != NULL && hosts[4] != NULL && hosts[5] == NULL);
  hdfsFreeHosts(hosts);
  REFUSED(hdfsGetHosts(fs, at("none"), 0, 1), ENOENT);
  free(data);
  free(back);
}

static void writing(hdfsFS fs) {
  write_file(fs, at("a"), "first");
  write_file(fs, at("a"), "second"); /* O_WRONLY replaces */
  CHECK(has(fs, at("a"), "second"));
  hdfsFile file = hdfsOpenFile(fs, at("a"), O_WRONLY | O_APPEND, 0, 0, 0);
  CHECK(file != NULL && hdfsTell(fs, file) == 6);
  CHECK(hdfsWrite(fs, file, " third", 6) == 6 && hdfsFlush(fs, file) == 0 && hdfsHFlush(fs, file) == 0);
  CHECK(has(fs, at("a"), "second third"));
  CHECK(hdfsHSync(fs, file) == 0 && hdfsCloseFile(fs, file) == 0);
  REFUSED(hdfsOpenFile(fs, at("none"), O_WRONLY | O_APPEND, 0, 0, 0), ENOENT);
  REFUSED(hdfsOpenFile(fs, at("none"), O_RDONLY, 0, 0, 0), ENOENT);
  REFUSED(hdfsOpenFile(fs, at("a"), O_RDWR, 0, 0, 0), ENOTSUP);
  REFUSED(hdfsOpenFile(fs, at("a/below"), O_WRONLY, 0, 0, 0), ENOTDIR);
  REFUSED(hdfsCloseFile(fs, NULL), EBADF); /* as tensorflow-io does */
  file = hdfsOpenFile(fs, at("empty"), O_WRONLY, 0, 0, 0);
  CHECK(file != NULL && hdfsCloseFile(fs, file) == 0 && has(fs, at("empty"), ""));

  struct hdfsStreamBuilder* builder = hdfsStreamBuilderAlloc(fs, at("built"), O_WRONLY);
  CHECK(hdfsStreamBuilderSetBufferSize(builder, 4096) == 0 && hdfsStreamBuilderSetReplication(builder, 1) == 0 &&
        hdfsStreamBuilderSetDefaultBlockSize(builder, 1 << 20) == 0);
  file = hdfsStreamBuilderBuild(builder);
  CHECK(file != NULL && hdfsCloseFile(fs, file) == 0);
  hdfsStreamBuilderFree(hdfsStreamBuilderAlloc(fs, at("built"), O_RDONLY));
  hdfsOpenFileBuilder* opener = hdfsOpenFileBuilderOpt(hdfsOpenFileBuilderAlloc(fs, at("a")), "some.key", "value");
  hdfsOpenFileFuture* future = hdfsOpenFileBuilderBuild(opener);
  hdfsOpenFileBuilderFree(opener);
  REFUSED(hdfsOpenFileFutureCancel(future, 1), ENOTSUP);
  file = hdfsOpenFileFutureGetWithTimeout(future, 1, jSeconds);
  CHECK(file != NULL && hdfsCloseFile(fs, file) == 0 && hdfsOpenFileFutureGet(future) == NULL);
  hdfsOpenFileFutureFree(future);
  opener = hdfsOpenFileBuilderAlloc(fs, at("a"));
  REFUSED(hdfsOpenFileBuilderMust(opener, "some.key", "value"), ENOTSUP);
  hdfsOpenFileBuilderFree(opener);
}

static void names(hdfsFS fs) {
  CHECK(hdfsCreateDirectory(fs, at("d/e/f")) == 0 && hdfsCreateDirectory(fs, at("d/e/f")) == 0);
  REFUSED(hdfsCreateDirectory(fs, at("a")), EEXIST);
  REFUSED(hdfsCreateDirectory(fs, at("a/b")), ENOTDIR);
  REFUSED(hdfsExists(fs, at("none")), ENOENT);
  int count = -1;
  errno = 99;
  CHECK(hdfsListDirectory(fs, at("d/e/f"), &count) == NULL && count == 0 && errno == 0); /* empty */
  REFUSED(hdfsListDirectory(fs, at("none"), &count), ENOENT);
  hdfsFileInfo* infos = hdfsListDirectory(fs, at("a"), &count); /* a file */
  CHECK(infos != NULL && count == 1 && infos[0].mSize == 12);
  hdfsFreeFileInfo(infos, count);
  write_file(fs, at("d/x\xc3\xbc b"), "x");
  infos = hdfsListDirectory(fs, at("d"), &count);
  CHECK(infos != NULL && count == 2);
  if (count == 2) {
    CHECK(infos[0].mKind == kObjectKindDirectory && infos[1].mKind == kObjectKindFile && infos[1].mSize == 1);
    CHECK(strncmp(infos[0].mName, "hdfs://", 7) == 0 && strcmp(strrchr(infos[0].mName, '/'), "/e") == 0);
    CHECK(strcmp(strrchr(infos[1].mName, '/'), "/x\xc3\xbc b") == 0 && hdfsExists(fs, infos[1].mName) == 0);
    CHECK(infos[1].mReplication >= 1 && infos[1].mBlockSize > 0 && infos[1].mLastMod > 1000000000);
    CHECK(infos[1].mOwner[0] != 0 && infos[1].mGroup[0] != 0 && !hdfsFileIsEncrypted(&infos[1]));
  }
  hdfsFreeFileInfo(infos, count);
  hdfsFileInfo* info = hdfsGetPathInfo(fs, at("d/"));
  CHECK(info != NULL && info->mKind == kObjectKindDirectory && strcmp(strrchr(info->mName, '/'), "/d") == 0);
  hdfsFreeFileInfo(info, 1);
  info = hdfsGetPathInfo(fs, "/");
  CHECK(info != NULL && info->mKind == kObjectKindDirectory);
  hdfsFreeFileInfo(info, 1);

  REFUSED(hdfsDelete(fs, at("d"), 0), ENOTEMPTY);
  REFUSED(hdfsDelete(fs, at("none"), 1), ENOENT);
  REFUSED(hdfsRename(fs, at("a"), at("built")), EEXIST); /* nothing is replaced */
  REFUSED(hdfsRename(fs, at("none"), at("other")), ENOENT);
  CHECK(hdfsRename(fs, at("built"), at("d/e")) == 0 && hdfsExists(fs, at("d/e/built")) == 0); /* into a directory */
  CHECK(hdfsRename(fs, at("d/e/built"), at("renamed")) == 0 && hdfsExists(fs, at("renamed")) == 0);
  CHECK(hdfsCopy(fs, at("a"), fs, at("d")) == 0 && has(fs, at("d/a"), "second third"));
  REFUSED(hdfsCopy(fs, at("d"), fs, at("dd")), ENOTSUP);
  CHECK(hdfsMove(fs, at("d/a"), fs, at("moved")) == 0 && has(fs, at("moved"), "second third"));
  CHECK(hdfsDelete(fs, at("d"), 1) == 0);

  CHECK(hdfsChmod(fs, at("a"), 0640) == 0 && hdfsUtime(fs, at("a"), 1000000000, -1) == 0);
  CHECK(hdfsSetReplication(fs, at("a"), 1) == 0);
  REFUSED(hdfsSetReplication(fs, at("a"), 0), EINVAL);
  REFUSED(hdfsChmod(fs, at("none"), 0640), ENOENT);
  info = hdfsGetPathInfo(fs, at("a"));
  CHECK(info != NULL && info->mPermissions == 0640 && info->mLastMod == 1000000000 && info->mReplication == 1);
  if (info != NULL) CHECK(hdfsChown(fs, at("a"), NULL, info->mGroup) == 0 && hdfsChown(fs, at("a"), NULL, NULL) == 0);
  hdfsFreeFileInfo(info, 1);
  CHECK(hdfsGetCapacity(fs) > 0 && hdfsGetUsed(fs) >= 0 && hdfsGetUsed(fs) < hdfsGetCapacity(fs));
  CHECK(hdfsGetDefaultBlockSize(fs) > 0 && hdfsGetDefaultBlockSizeAtPath(fs, "/") == hdfsGetDefaultBlockSize(fs));

  char here[512];
  CHECK(hdfsGetWorkingDirectory(fs, here, sizeof here) == here && strstr(here, "/user/") != NULL);
  REFUSED(hdfsGetWorkingDirectory(fs, here, 5), ENAMETOOLONG);
  CHECK(hdfsSetWorkingDirectory(fs, folder) == 0 && hdfsExists(fs, "a") == 0);
  CHECK(hdfsExists(fs, "./x/../a") == 0);
  REFUSED(hdfsExists(fs, ""), EINVAL);
  REFUSED(hdfsExists(NULL, "/"), EBADF);
  char* endless = malloc(200000);
  memset(endless, 'x', 199999);
  endless[0] = '/';
  endless[199999] = 0;
  CHECK(hdfsExists(fs, endless) == -1 && errno != 0); /* and the next call works */
  free(endless);
  REFUSED(hdfsExists(fs, "/\xff\xfe"), EINVAL);
  REFUSED(hdfsExists(fs, "s3a://bucket/x"), EINVAL);
  CHECK(hdfsExists(fs, "/") == 0);
  REFUSED(hdfsExists(fs, "s3a://\xff\x1b[2J"), EINVAL);
  CHECK(strstr(hdfsGetLastExceptionStackTrace(), "hdfsExists(s3a://??[2J)") != NULL); /* safe for a terminal */
}

static void unsupported(hdfsFS fs) {
  REFUSED(hdfsTruncateFile(fs, at("a"), 1), ENOTSUP);
  struct hadoopRzOptions* options = hadoopRzOptionsAlloc();
  CHECK(hadoopRzOptionsSetSkipChecksum(options, 1) == 0 && hadoopRzOptionsSetByteBufferPool(options, NULL) == 0);
  REFUSED(hadoopReadZero(NULL, options, 10), ENOTSUP);
  CHECK(hadoopRzBufferLength(NULL) == 0 && hadoopRzBufferGet(NULL) == NULL);
  hadoopRzBufferFree(NULL, NULL);
  hadoopRzOptionsFree(options);
  struct hdfsHedgedReadMetrics* metrics = NULL;
  CHECK(hdfsGetHedgedReadMetrics(fs, &metrics) == 0 && metrics->hedgedReadOps == 0);
  hdfsFreeHedgedReadMetrics(metrics);
  CHECK(hdfsGetLastExceptionRootCause() != NULL && hdfsGetLastExceptionStackTrace() != NULL);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  connections();
  hdfsFS fs = hdfsConnectNewInstance("default", 0);
  CHECK(fs != NULL);
  if (fs == NULL) return 1;
  reading(fs);
  writing(fs);
  names(fs);
  unsupported(fs);
  hdfsDisconnect(fs);
  printf("%d checks failed\n", failures);
  return failures == 0 ? 0 : 1;
}

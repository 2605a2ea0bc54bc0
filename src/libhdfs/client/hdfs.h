/* The C interface to HDFS that Hadoop's libhdfs established, as TensorFlow, pyarrow and dmlc-core call it.
 *
 * Names, types and the layout of structures are those of Hadoop 3.4, so that programs that were compiled for Hadoop's
 * library work with this one. This library starts no JVM: a process of ydl does the work (docs/libhdfs.md).
 *
 * Functions that return int return 0, and -1 with errno after a failure. Pointers are NULL with errno after a failure.
 * All functions may be called by several threads at the same time, also for the same file.
 */
#ifndef YDL_LIBHDFS_HDFS_H
#define YDL_LIBHDFS_HDFS_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIBHDFS_EXTERNAL __attribute__((visibility("default")))

#ifndef O_RDONLY
#define O_RDONLY 1
#endif
#ifndef O_WRONLY
#define O_WRONLY 2
#endif
#ifndef EINTERNAL
#define EINTERNAL 255
#endif
#define ELASTIC_BYTE_BUFFER_POOL_CLASS "org/apache/hadoop/io/ElasticByteBufferPool"

typedef int32_t tSize;   /* size of data for read and write */
typedef time_t tTime;    /* seconds since 1970 */
typedef int64_t tOffset; /* offset in a file */
typedef uint16_t tPort;

typedef enum tObjectKind { kObjectKindFile = 'F', kObjectKindDirectory = 'D' } tObjectKind;

struct hdfsBuilder;
struct hdfs_internal;
struct hdfsFile_internal;
struct hdfsStreamBuilder;
struct hdfsOpenFileBuilder;
struct hdfsOpenFileFuture;
struct hadoopRzOptions;
struct hadoopRzBuffer;
typedef struct hdfs_internal* hdfsFS;
typedef struct hdfsFile_internal* hdfsFile;
typedef struct hdfsOpenFileBuilder hdfsOpenFileBuilder;
typedef struct hdfsOpenFileFuture hdfsOpenFileFuture;

typedef enum javaConcurrentTimeUnit {
  jNanoseconds,
  jMicroseconds,
  jMilliseconds,
  jSeconds,
  jMinutes,
  jHours,
  jDays,
} javaConcurrentTimeUnit;

struct hdfsReadStatistics {
  uint64_t totalBytesRead;
  uint64_t totalLocalBytesRead;
  uint64_t totalShortCircuitBytesRead;
  uint64_t totalZeroCopyBytesRead;
};

struct hdfsHedgedReadMetrics {
  uint64_t hedgedReadOps;
  uint64_t hedgedReadOpsWin;
  uint64_t hedgedReadOpsInCurThread;
};

typedef struct {
  tObjectKind mKind;
  char* mName; /* with scheme and authority: hdfs://cluster/a/b */
  tTime mLastMod;
  tOffset mSize;
  short mReplication;
  tOffset mBlockSize;
  char* mOwner;
  char* mGroup;
  short mPermissions;
  tTime mLastAccess;
} hdfsFileInfo;

/* ---- files that are open ---- */

LIBHDFS_EXTERNAL int hdfsFileIsOpenForRead(hdfsFile file);
LIBHDFS_EXTERNAL int hdfsFileIsOpenForWrite(hdfsFile file);
LIBHDFS_EXTERNAL int hdfsFileGetReadStatistics(hdfsFile file, struct hdfsReadStatistics** stats);
LIBHDFS_EXTERNAL int64_t hdfsReadStatisticsGetRemoteBytesRead(const struct hdfsReadStatistics* stats);
LIBHDFS_EXTERNAL int hdfsFileClearReadStatistics(hdfsFile file);
LIBHDFS_EXTERNAL void hdfsFileFreeReadStatistics(struct hdfsReadStatistics* stats);
LIBHDFS_EXTERNAL int hdfsGetHedgedReadMetrics(hdfsFS fs, struct hdfsHedgedReadMetrics** metrics);
LIBHDFS_EXTERNAL void hdfsFreeHedgedReadMetrics(struct hdfsHedgedReadMetrics* metrics);

/* ---- file systems ---- */

/* "default" is the file system that fs.defaultFS names. A port of 0 is not used. */
LIBHDFS_EXTERNAL hdfsFS hdfsConnect(const char* nn, tPort port);
LIBHDFS_EXTERNAL hdfsFS hdfsConnectAsUser(const char* nn, tPort port, const char* user);
LIBHDFS_EXTERNAL hdfsFS hdfsConnectNewInstance(const char* nn, tPort port);
LIBHDFS_EXTERNAL hdfsFS hdfsConnectAsUserNewInstance(const char* nn, tPort port, const char* user);

LIBHDFS_EXTERNAL struct hdfsBuilder* hdfsNewBuilder(void);
LIBHDFS_EXTERNAL void hdfsBuilderSetForceNewInstance(struct hdfsBuilder* bld);
LIBHDFS_EXTERNAL void hdfsBuilderSetNameNode(struct hdfsBuilder* bld, const char* nn);
LIBHDFS_EXTERNAL void hdfsBuilderSetNameNodePort(struct hdfsBuilder* bld, tPort port);
LIBHDFS_EXTERNAL void hdfsBuilderSetUserName(struct hdfsBuilder* bld, const char* userName);
LIBHDFS_EXTERNAL void hdfsBuilderSetKerbTicketCachePath(struct hdfsBuilder* bld, const char* kerbTicketCachePath);
LIBHDFS_EXTERNAL int hdfsBuilderConfSetStr(struct hdfsBuilder* bld, const char* key, const char* val);
LIBHDFS_EXTERNAL void hdfsFreeBuilder(struct hdfsBuilder* bld);
/* Frees the builder, also after a failure. */
LIBHDFS_EXTERNAL hdfsFS hdfsBuilderConnect(struct hdfsBuilder* bld);
LIBHDFS_EXTERNAL int hdfsDisconnect(hdfsFS fs);

/* A value of Hadoop's configuration; NULL if the key is not set. */
LIBHDFS_EXTERNAL int hdfsConfGetStr(const char* key, char** val);
LIBHDFS_EXTERNAL int hdfsConfGetInt(const char* key, int32_t* val);
LIBHDFS_EXTERNAL void hdfsConfStrFree(char* val);

/* ---- reading and writing ---- */

/* O_RDONLY; O_WRONLY creates or replaces; O_WRONLY|O_APPEND continues an existing file. 0 means the default for the
 * last three arguments; the buffer size is ignored. */
LIBHDFS_EXTERNAL hdfsFile hdfsOpenFile(hdfsFS fs, const char* path, int flags, int bufferSize, short replication,
                                       tSize blocksize);
LIBHDFS_EXTERNAL struct hdfsStreamBuilder* hdfsStreamBuilderAlloc(hdfsFS fs, const char* path, int flags);
LIBHDFS_EXTERNAL void hdfsStreamBuilderFree(struct hdfsStreamBuilder* bld);
LIBHDFS_EXTERNAL int hdfsStreamBuilderSetBufferSize(struct hdfsStreamBuilder* bld, int32_t bufferSize);
LIBHDFS_EXTERNAL int hdfsStreamBuilderSetReplication(struct hdfsStreamBuilder* bld, int16_t replication);
LIBHDFS_EXTERNAL int hdfsStreamBuilderSetDefaultBlockSize(struct hdfsStreamBuilder* bld, int64_t defaultBlockSize);
LIBHDFS_EXTERNAL hdfsFile hdfsStreamBuilderBuild(struct hdfsStreamBuilder* bld);
LIBHDFS_EXTERNAL hdfsOpenFileBuilder* hdfsOpenFileBuilderAlloc(hdfsFS fs, const char* path);
LIBHDFS_EXTERNAL hdfsOpenFileBuilder* hdfsOpenFileBuilderMust(hdfsOpenFileBuilder* builder, const char* key,
                                                              const char* value);
LIBHDFS_EXTERNAL hdfsOpenFileBuilder* hdfsOpenFileBuilderOpt(hdfsOpenFileBuilder* builder, const char* key,
                                                             const char* value);
LIBHDFS_EXTERNAL hdfsOpenFileFuture* hdfsOpenFileBuilderBuild(hdfsOpenFileBuilder* builder);
LIBHDFS_EXTERNAL void hdfsOpenFileBuilderFree(hdfsOpenFileBuilder* builder);
LIBHDFS_EXTERNAL hdfsFile hdfsOpenFileFutureGet(hdfsOpenFileFuture* future);
LIBHDFS_EXTERNAL hdfsFile hdfsOpenFileFutureGetWithTimeout(hdfsOpenFileFuture* future, int64_t timeout,
                                                           javaConcurrentTimeUnit timeUnit);
LIBHDFS_EXTERNAL int hdfsOpenFileFutureCancel(hdfsOpenFileFuture* future, int mayInterruptIfRunning);
LIBHDFS_EXTERNAL void hdfsOpenFileFutureFree(hdfsOpenFileFuture* future);
/* Not supported: ENOTSUP. */
LIBHDFS_EXTERNAL int hdfsTruncateFile(hdfsFS fs, const char* path, tOffset newlength);
/* Frees the read-ahead buffer of a file. */
LIBHDFS_EXTERNAL int hdfsUnbufferFile(hdfsFile file);
/* Frees the file, also after a failure. EBADF for NULL: tensorflow-io closes each written file a second time. */
LIBHDFS_EXTERNAL int hdfsCloseFile(hdfsFS fs, hdfsFile file);
LIBHDFS_EXTERNAL int hdfsSeek(hdfsFS fs, hdfsFile file, tOffset desiredPos);
LIBHDFS_EXTERNAL tOffset hdfsTell(hdfsFS fs, hdfsFile file);
/* The number of bytes, 0 at the end of the file, -1 after a failure. */
LIBHDFS_EXTERNAL tSize hdfsRead(hdfsFS fs, hdfsFile file, void* buffer, tSize length);
LIBHDFS_EXTERNAL tSize hdfsPread(hdfsFS fs, hdfsFile file, tOffset position, void* buffer, tSize length);
LIBHDFS_EXTERNAL int hdfsPreadFully(hdfsFS fs, hdfsFile file, tOffset position, void* buffer, tSize length);
LIBHDFS_EXTERNAL tSize hdfsWrite(hdfsFS fs, hdfsFile file, const void* buffer, tSize length);
/* Passes the written bytes on, without waiting for the DataNodes. */
LIBHDFS_EXTERNAL int hdfsFlush(hdfsFS fs, hdfsFile file);
/* Readers that open the file now can read all written bytes. */
LIBHDFS_EXTERNAL int hdfsHFlush(hdfsFS fs, hdfsFile file);
/* The same, and the DataNodes have the bytes on disk. */
LIBHDFS_EXTERNAL int hdfsHSync(hdfsFS fs, hdfsFile file);
LIBHDFS_EXTERNAL int hdfsAvailable(hdfsFS fs, hdfsFile file);

/* ---- names ---- */

LIBHDFS_EXTERNAL int hdfsExists(hdfsFS fs, const char* path);
/* Copy and move between file systems: only single files. */
LIBHDFS_EXTERNAL int hdfsCopy(hdfsFS srcFS, const char* src, hdfsFS dstFS, const char* dst);
LIBHDFS_EXTERNAL int hdfsMove(hdfsFS srcFS, const char* src, hdfsFS dstFS, const char* dst);
LIBHDFS_EXTERNAL int hdfsDelete(hdfsFS fs, const char* path, int recursive);
/* Never replaces a file. A target that is a directory receives the source. */
LIBHDFS_EXTERNAL int hdfsRename(hdfsFS fs, const char* oldPath, const char* newPath);
LIBHDFS_EXTERNAL char* hdfsGetWorkingDirectory(hdfsFS fs, char* buffer, size_t bufferSize);
LIBHDFS_EXTERNAL int hdfsSetWorkingDirectory(hdfsFS fs, const char* path);
LIBHDFS_EXTERNAL int hdfsCreateDirectory(hdfsFS fs, const char* path);
LIBHDFS_EXTERNAL int hdfsSetReplication(hdfsFS fs, const char* path, int16_t replication);
/* NULL with errno 0 for an empty directory. One entry if the path is a file. */
LIBHDFS_EXTERNAL hdfsFileInfo* hdfsListDirectory(hdfsFS fs, const char* path, int* numEntries);
LIBHDFS_EXTERNAL hdfsFileInfo* hdfsGetPathInfo(hdfsFS fs, const char* path);
LIBHDFS_EXTERNAL void hdfsFreeFileInfo(hdfsFileInfo* hdfsFileInfo, int numEntries);
LIBHDFS_EXTERNAL int hdfsFileIsEncrypted(hdfsFileInfo* hdfsFileInfo);
/* The hosts of each block of a range: NULL-terminated lists of names, in a NULL-terminated list. */
LIBHDFS_EXTERNAL char*** hdfsGetHosts(hdfsFS fs, const char* path, tOffset start, tOffset length);
LIBHDFS_EXTERNAL void hdfsFreeHosts(char*** blockHosts);
LIBHDFS_EXTERNAL tOffset hdfsGetDefaultBlockSize(hdfsFS fs);
LIBHDFS_EXTERNAL tOffset hdfsGetDefaultBlockSizeAtPath(hdfsFS fs, const char* path);
LIBHDFS_EXTERNAL tOffset hdfsGetCapacity(hdfsFS fs);
LIBHDFS_EXTERNAL tOffset hdfsGetUsed(hdfsFS fs);
LIBHDFS_EXTERNAL int hdfsChown(hdfsFS fs, const char* path, const char* owner, const char* group);
LIBHDFS_EXTERNAL int hdfsChmod(hdfsFS fs, const char* path, short mode);
/* -1 leaves a time as it is. */
LIBHDFS_EXTERNAL int hdfsUtime(hdfsFS fs, const char* path, tTime mtime, tTime atime);

/* ---- reading without copies: not supported, hadoopReadZero fails with ENOTSUP ---- */

LIBHDFS_EXTERNAL struct hadoopRzOptions* hadoopRzOptionsAlloc(void);
LIBHDFS_EXTERNAL int hadoopRzOptionsSetSkipChecksum(struct hadoopRzOptions* opts, int skip);
LIBHDFS_EXTERNAL int hadoopRzOptionsSetByteBufferPool(struct hadoopRzOptions* opts, const char* className);
LIBHDFS_EXTERNAL void hadoopRzOptionsFree(struct hadoopRzOptions* opts);
LIBHDFS_EXTERNAL struct hadoopRzBuffer* hadoopReadZero(hdfsFile file, struct hadoopRzOptions* opts, int32_t maxLength);
LIBHDFS_EXTERNAL int32_t hadoopRzBufferLength(const struct hadoopRzBuffer* buffer);
LIBHDFS_EXTERNAL const void* hadoopRzBufferGet(const struct hadoopRzBuffer* buffer);
LIBHDFS_EXTERNAL void hadoopRzBufferFree(hdfsFile file, struct hadoopRzBuffer* buffer);

/* ---- the last failure of the calling thread: valid until its next failure ---- */

LIBHDFS_EXTERNAL char* hdfsGetLastExceptionRootCause(void);
LIBHDFS_EXTERNAL char* hdfsGetLastExceptionStackTrace(void);

#ifdef __cplusplus
}
#endif

#endif

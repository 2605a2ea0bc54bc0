/* Uses HDFS with the calls, and in the order, of dmlc-core's hdfs_filesys.cc, which an MXNet that was built with
 * USE_HDFS=1 contains: dmlc FOLDER. dmlc-core connects once for each URI, by host and port 0, writes and reads with
 * hdfsRead and hdfsWrite in a loop, and lists folders to find the parts of a data set. */
#include "libhdfs/client/hdfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEEDS(condition)                                                \
  if (!(condition)) {                                                   \
    fprintf(stderr, "dmlc.c:%d: %s, errno %d\n", __LINE__, #condition, errno); \
    return 1;                                                           \
  }

int main(int argc, char** argv) {
  NEEDS(argc == 2);
  hdfsFS fs = hdfsConnect("default", 0);
  NEEDS(fs != NULL);
  char path[512];
  for (int part = 0; part < 3; ++part) {
    snprintf(path, sizeof path, "%s/part-%d.rec", argv[1], part);
    hdfsFile file = hdfsOpenFile(fs, path, O_WRONLY, 0, 0, 0);
    NEEDS(file != NULL);
    for (int record = 0; record < 1000; ++record) {
      const int word = part * 1000 + record;
      const char* from = (const char*)&word;
      for (size_t left = sizeof word; left > 0;) {
        const tSize count = hdfsWrite(fs, file, from, (tSize)left);
        NEEDS(count > 0);
        from += count;
        left -= (size_t)count;
      }
    }
    NEEDS(hdfsCloseFile(fs, file) == 0);
  }
  int count = 0;
  hdfsFileInfo* files = hdfsListDirectory(fs, argv[1], &count);
  NEEDS(files != NULL && count == 3);
  int expected = 0;
  for (int i = 0; i < count; ++i) {
    hdfsFileInfo* info = hdfsGetPathInfo(fs, files[i].mName);
    NEEDS(info != NULL && info->mKind == 'F' && info->mSize == 4000);
    hdfsFreeFileInfo(info, 1);
    hdfsFile file = hdfsOpenFile(fs, files[i].mName, O_RDONLY, 0, 0, 0);
    NEEDS(file != NULL && hdfsSeek(fs, file, 400) == 0 && hdfsTell(fs, file) == 400 && hdfsSeek(fs, file, 0) == 0);
    for (int word = 0;;) {
      const tSize got = hdfsRead(fs, file, &word, sizeof word);
      NEEDS(got == 0 || got == sizeof word);
      if (got == 0) break;
      NEEDS(word == expected++);
    }
    NEEDS(hdfsCloseFile(fs, file) == 0);
  }
  hdfsFreeFileInfo(files, count);
  NEEDS(expected == 3000 && hdfsDisconnect(fs) == 0);
  puts("ok");
  return 0;
}

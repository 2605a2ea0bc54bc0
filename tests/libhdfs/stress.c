/* Many threads read and write many files while the process forks: stress FOLDER THREADS ROUNDS. Each thread checks every
 * byte. The children read files that the parent has open, as data loaders do. */
#include "libhdfs/client/hdfs.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kSize = 700 * 1000 };

static hdfsFS fs;
static const char* folder;
static int rounds;
static hdfsFile shared_file;

static unsigned char byte_of(int file, int offset) {
  return (unsigned char)(((unsigned)offset * 2654435761u >> 11) + (unsigned)file * 31u);
}

static int check(hdfsFile file, int number, unsigned* seed) {
  unsigned char* buffer = malloc(kSize);
  int wrong = 0;
  for (int i = 0; i < 20 && !wrong; ++i) {
    const int offset = (int)(rand_r(seed) % kSize);
    const int size = i % 4 == 0 ? kSize - offset : 1 + (int)(rand_r(seed) % 3000);
    tSize count = 0;
    for (tSize got; count < size && (got = hdfsPread(fs, file, offset + count, buffer + count, size - count)) > 0;) count += got;
    wrong = count != (size < kSize - offset ? size : kSize - offset);
    for (int at = 0; at < count && !wrong; ++at) wrong = buffer[at] != byte_of(number, offset + at);
  }
  free(buffer);
  return wrong;
}

static int write_and_check(int number, unsigned* seed) {
  char path[512];
  snprintf(path, sizeof path, "%s/file-%d", folder, number);
  hdfsFile file = hdfsOpenFile(fs, path, O_WRONLY, 0, 0, 0);
  if (file == NULL) return 1;
  unsigned char* data = malloc(kSize);
  for (int i = 0; i < kSize; ++i) data[i] = byte_of(number, i);
  int wrong = 0;
  for (int at = 0; at < kSize && !wrong;) {
    int part = 1 + (int)(rand_r(seed) % 300000);
    if (part > kSize - at) part = kSize - at;
    wrong = hdfsWrite(fs, file, data + at, part) != part;
    at += part;
    if (at % 3 == 0) wrong |= hdfsHFlush(fs, file) != 0;
  }
  free(data);
  wrong |= hdfsCloseFile(fs, file) != 0;
  file = wrong ? NULL : hdfsOpenFile(fs, path, O_RDONLY, 0, 0, 0);
  if (file == NULL) return 1;
  wrong = check(file, number, seed);
  return hdfsCloseFile(fs, file) != 0 || wrong;
}

static void* work(void* argument) {
  const int number = (int)(long)argument;
  unsigned seed = (unsigned)number;
  long wrong = 0;
  for (int round = 0; round < rounds; ++round) wrong += write_and_check(number * 1000 + round, &seed) + check(shared_file, 0, &seed);
  return (void*)wrong;
}

/* In a child: the parent's open file, a file of its own, and the parent's file that is being written. */
static int be_a_loader(hdfsFile written, int number) {
  unsigned seed = (unsigned)number;
  errno = 0;
  int wrong = check(shared_file, 0, &seed);
  wrong |= hdfsWrite(fs, written, "x", 1) != -1 || errno != EBADF;
  wrong |= hdfsCloseFile(fs, written) != 0;
  wrong |= write_and_check(900000 + number, &seed);
  return hdfsCloseFile(fs, shared_file) != 0 || wrong;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  folder = argv[1];
  const int threads = atoi(argv[2]);
  rounds = atoi(argv[3]);
  fs = hdfsConnect("default", 0);
  unsigned seed = 1;
  char path[512];
  if (fs == NULL || write_and_check(0, &seed) != 0) return 3;
  snprintf(path, sizeof path, "%s/file-0", folder);
  shared_file = hdfsOpenFile(fs, path, O_RDONLY, 0, 0, 0);
  snprintf(path, sizeof path, "%s/written", folder);
  hdfsFile written = hdfsOpenFile(fs, path, O_WRONLY, 0, 0, 0);
  if (shared_file == NULL || written == NULL) return 4;
  pthread_t* ids = calloc((size_t)threads, sizeof *ids);
  for (long i = 0; i < threads; ++i) pthread_create(&ids[i], NULL, work, (void*)(i + 1));
  long wrong = 0;
  int written_parts = 0;
  for (int i = 0; i < rounds * 2; ++i) {
    const pid_t pid = fork();
    if (pid == 0) _exit(be_a_loader(written, i));
    wrong += hdfsWrite(fs, written, "0123456789", 10) != 10;
    ++written_parts;
    int status = 0;
    wrong += pid < 0 || waitpid(pid, &status, 0) != pid || status != 0;
  }
  for (int i = 0; i < threads; ++i) {
    void* result = NULL;
    pthread_join(ids[i], &result);
    wrong += (long)result;
  }
  errno = 0;
  wrong += wait(NULL) != -1 || errno != ECHILD; /* the helper is nobody's child */
  wrong += hdfsCloseFile(fs, written) != 0 || hdfsCloseFile(fs, shared_file) != 0;
  hdfsFileInfo* info = hdfsGetPathInfo(fs, path);
  wrong += info == NULL || info->mSize != 10 * written_parts;
  hdfsFreeFileInfo(info, 1);
  hdfsDisconnect(fs);
  printf("%ld wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}

/* The status of files, directories, and the hosts of blocks. */
#include "internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether a file is encrypted stands behind the NUL of its group, because the structure has no member for it. */
static char* group_with_mark(char* group, bool encrypted) {
  if (group == NULL) return NULL;
  const size_t size = strlen(group);
  char* marked = realloc(group, size + 2);
  if (marked == NULL) {
    free(group);
    return NULL;
  }
  marked[size + 1] = encrypted ? 1 : 0;
  return marked;
}

/* Reads an entry; its name follows `folder`, which ends with a slash, or is `folder` if it has none. */
static bool read_entry(struct body* body, const char* folder, hdfsFileInfo* info) {
  memset(info, 0, sizeof *info);
  info->mKind = body_u32(body) == 'D' ? kObjectKindDirectory : kObjectKindFile;
  char* name = body_text(body);
  info->mSize = (tOffset)body_u64(body);
  info->mLastMod = (tTime)body_u64(body);
  info->mLastAccess = (tTime)body_u64(body);
  info->mReplication = (short)body_u32(body);
  info->mBlockSize = (tOffset)body_u64(body);
  info->mPermissions = (short)body_u32(body);
  const bool encrypted = body_u32(body) != 0;
  info->mOwner = body_text(body);
  info->mGroup = group_with_mark(body_text(body), encrypted);
  if (name != NULL) {
    info->mName = malloc(strlen(folder) + strlen(name) + 1);
    if (info->mName != NULL) strcat(strcpy(info->mName, folder), name);
    free(name);
  }
  return info->mName != NULL && info->mOwner != NULL && info->mGroup != NULL && !body->broken;
}

static void free_entry(hdfsFileInfo* info) {
  free(info->mName);
  free(info->mOwner);
  free(info->mGroup);
}

void hdfsFreeFileInfo(hdfsFileInfo* infos, int numEntries) {
  if (infos == NULL) return;
  for (int i = 0; i < numEntries; ++i) free_entry(&infos[i]);
  free(infos);
}

int hdfsFileIsEncrypted(hdfsFileInfo* info) {
  return info->mGroup != NULL && info->mGroup[strlen(info->mGroup) + 1] == 1;
}

static void drop_slashes(char* uri) {
  size_t size = strlen(uri);
  while (size > 0 && uri[size - 1] == '/' && strstr(uri, "://") + 3 < uri + size - 1 &&
         strchr(strstr(uri, "://") + 3, '/') != uri + size - 1)
    uri[--size] = 0;
}

hdfsFileInfo* hdfsGetPathInfo(hdfsFS fs, const char* path) {
  const char* function = "hdfsGetPathInfo";
  char* uri = uri_of(fs, path, function);
  if (uri == NULL) return NULL;
  struct message request;
  message_begin(&request, kYdlStatus);
  message_text(&request, uri);
  struct answer answer;
  hdfsFileInfo* info = NULL;
  int error = 0;
  if (ask(&request, &answer, function, path) != 0) {
    error = errno;
  } else {
    info = malloc(sizeof *info);
    drop_slashes(uri);
    const bool valid = info != NULL && read_entry(&answer.body, uri, info) && body_done(&answer.body);
    answer_free(&answer);
    if (!valid) {
      hdfsFreeFileInfo(info, 1);
      info = NULL;
      fail_here(error = EPROTO, function, path);
    }
  }
  free(uri);
  if (info == NULL) errno = error;
  return info;
}

int hdfsExists(hdfsFS fs, const char* path) {
  struct message request;
  char* uri = uri_of(fs, path, "hdfsExists");
  if (uri == NULL) return -1;
  message_begin(&request, kYdlStatus);
  message_text(&request, uri);
  free(uri);
  return ask_and_forget(&request, "hdfsExists", path);
}

struct entries {
  hdfsFileInfo* infos;
  size_t count;
  size_t capacity;
};

static int add_page(struct entries* entries, struct body* body, const char* folder) {
  while (!body_done(body)) {
    if (body->broken || entries->count >= INT_MAX) return EPROTO;
    if (entries->count == entries->capacity) {
      const size_t capacity = entries->capacity == 0 ? 64 : entries->capacity * 2;
      hdfsFileInfo* infos = realloc(entries->infos, capacity * sizeof *infos);
      if (infos == NULL) return ENOMEM;
      entries->infos = infos;
      entries->capacity = capacity;
    }
    const bool valid = read_entry(body, folder, &entries->infos[entries->count++]);
    if (!valid) return EPROTO;
  }
  return 0;
}

/* `uri` ends with a slash. Returns 0, errno, or -1 after fail_with(). */
static int list_all(const char* uri, struct entries* entries, const char* function) {
  const int fd = take_connection(function, uri);
  if (fd < 0) return -1;
  struct message request;
  message_begin(&request, kYdlList);
  message_text(&request, uri);
  struct answer answer;
  if (ask_on(fd, &request, &answer, function, uri) != 0) return -1;
  for (;;) {
    int error = answer.kind == kYdlOk || answer.kind == kYdlMore ? add_page(entries, &answer.body, uri) : EPROTO;
    const bool more = answer.kind == kYdlMore;
    answer_free(&answer);
    if (error == 0 && !more) {
      give_connection(fd);
      return 0;
    }
    if (error == 0) error = receive_answer(fd, &answer);
    if (error == 0 && answer.kind == kYdlError) {
      const uint32_t code = body_u32(&answer.body);
      char* message = body_text(&answer.body);
      error = message != NULL ? fail_with((int)code, function, uri, message, NULL) : EPROTO;
      const int saved = errno;
      free(message);
      answer_free(&answer);
      give_connection(fd);
      errno = saved;
      return error;
    }
    if (error == 0) continue;
    close(fd);
    return error;
  }
}

hdfsFileInfo* hdfsListDirectory(hdfsFS fs, const char* path, int* numEntries) {
  const char* function = "hdfsListDirectory";
  *numEntries = 0;
  hdfsFileInfo* info = hdfsGetPathInfo(fs, path);
  if (info == NULL || info->mKind == kObjectKindFile) {
    *numEntries = info == NULL ? 0 : 1;
    return info;
  }
  const size_t size = strlen(info->mName);
  char* folder = malloc(size + 2);
  if (folder != NULL) {
    memcpy(folder, info->mName, size + 1);
    if (size > 0 && folder[size - 1] != '/') strcpy(folder + size, "/");
  }
  hdfsFreeFileInfo(info, 1);
  struct entries entries = {NULL, 0, 0};
  const int error = folder == NULL ? ENOMEM : list_all(folder, &entries, function);
  const int saved = errno;
  free(folder);
  if (error == 0 && entries.count > 0) {
    *numEntries = (int)entries.count;
    return entries.infos;
  }
  hdfsFreeFileInfo(entries.infos, (int)entries.count);
  if (error == 0)
    errno = 0; /* an empty directory */
  else if (error > 0)
    fail_here(error, function, path);
  else
    errno = saved;
  return NULL;
}

void hdfsFreeHosts(char*** blockHosts) {
  if (blockHosts == NULL) return;
  for (size_t block = 0; blockHosts[block] != NULL; ++block) {
    for (size_t host = 0; blockHosts[block][host] != NULL; ++host) free(blockHosts[block][host]);
    free(blockHosts[block]);
  }
  free(blockHosts);
}

static char** read_hosts(struct body* body) {
  const uint32_t count = body_u32(body);
  if (body->broken || count > body->size - body->at) return NULL; /* each takes at least four bytes */
  char** hosts = calloc((size_t)count + 1, sizeof *hosts);
  for (uint32_t i = 0; hosts != NULL && i < count; ++i) {
    hosts[i] = body_text(body);
    if (hosts[i] == NULL) body->broken = true;
  }
  return hosts;
}

char*** hdfsGetHosts(hdfsFS fs, const char* path, tOffset start, tOffset length) {
  const char* function = "hdfsGetHosts";
  if (start < 0 || length < 0) {
    fail_here(EINVAL, function, path);
    return NULL;
  }
  char* uri = uri_of(fs, path, function);
  if (uri == NULL) return NULL;
  struct message request;
  message_begin(&request, kYdlHosts);
  message_text(&request, uri);
  message_u64(&request, (uint64_t)start);
  message_u64(&request, (uint64_t)length);
  free(uri);
  struct answer answer;
  if (ask(&request, &answer, function, path) != 0) return NULL;
  /* A block takes at least the four bytes of its count. */
  char*** blocks = calloc(answer.body.size / 4 + 1, sizeof *blocks);
  for (size_t i = 0; blocks != NULL && !body_done(&answer.body) && !answer.body.broken; ++i)
    if ((blocks[i] = read_hosts(&answer.body)) == NULL) answer.body.broken = true;
  const bool valid = blocks != NULL && !answer.body.broken;
  answer_free(&answer);
  if (valid) return blocks;
  hdfsFreeHosts(blocks);
  fail_here(EPROTO, function, path);
  return NULL;
}

/* File systems, and the calls about names. */
#include "internal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hdfsBuilder {
  char* name_node; /* NULL: the local file system */
  char* user;
  tPort port;
};

static const char kScheme[] = "hdfs://";

static char* copy_of(const char* text) {
  return text == NULL ? NULL : strdup(text);
}

static char* joined(const char* first, const char* second, const char* third, const char* fourth) {
  const size_t size = strlen(first) + strlen(second) + strlen(third) + strlen(fourth) + 1;
  char* text = malloc(size);
  if (text != NULL) snprintf(text, size, "%s%s%s%s", first, second, third, fourth);
  return text;
}

/* ---- connecting ---- */

struct hdfsBuilder* hdfsNewBuilder(void) {
  struct hdfsBuilder* builder = calloc(1, sizeof *builder);
  if (builder == NULL) fail_here(ENOMEM, "hdfsNewBuilder", NULL);
  return builder;
}

/* Every connection is an instance of its own, and they share one helper. */
void hdfsBuilderSetForceNewInstance(struct hdfsBuilder* bld) {
  (void)bld;
}

static void set_text(char** member, const char* text) {
  free(*member);
  *member = copy_of(text);
}

void hdfsBuilderSetNameNode(struct hdfsBuilder* bld, const char* nn) {
  set_text(&bld->name_node, nn);
}

void hdfsBuilderSetNameNodePort(struct hdfsBuilder* bld, tPort port) {
  bld->port = port;
}

void hdfsBuilderSetUserName(struct hdfsBuilder* bld, const char* userName) {
  set_text(&bld->user, userName);
}

/* The helper reads KRB5CCNAME of the process, as all programs of Kerberos do. */
void hdfsBuilderSetKerbTicketCachePath(struct hdfsBuilder* bld, const char* kerbTicketCachePath) {
  (void)bld;
  if (kerbTicketCachePath != NULL && *kerbTicketCachePath != 0) setenv("KRB5CCNAME", kerbTicketCachePath, 0);
}

/* All file systems of a process have the configuration of its helper. */
int hdfsBuilderConfSetStr(struct hdfsBuilder* bld, const char* key, const char* val) {
  (void)bld;
  (void)val;
  if (key == NULL) return fail_here(EINVAL, "hdfsBuilderConfSetStr", NULL);
  return 0;
}

void hdfsFreeBuilder(struct hdfsBuilder* bld) {
  if (bld == NULL) return;
  free(bld->name_node);
  free(bld->user);
  free(bld);
}

/* "default", "cluster", "host", "host:port", "hdfs://host:port" and a port as a URI. */
static char* uri_of_name_node(const char* name, tPort port) {
  if (strcmp(name, "default") == 0) return joined(kScheme, "/", "", "");
  const char* scheme = strstr(name, "://") == NULL ? kScheme : "";
  char digits[8] = "";
  const char* host = *scheme != 0 ? name : strstr(name, "://") + 3;
  if (port != 0 && strchr(host, ':') == NULL) snprintf(digits, sizeof digits, ":%u", (unsigned)port);
  return joined(scheme, name, digits, "");
}

static hdfsFS connect_to(const char* name, tPort port, const char* user, const char* function) {
  if (name == NULL) {
    fail_with(ENOTSUP, function, "NULL", "ydl's libhdfs does not read files of this machine", NULL);
    return NULL;
  }
  char* uri = uri_of_name_node(name, port);
  hdfsFS fs = calloc(1, sizeof *fs);
  struct message request;
  message_begin(&request, kYdlConnect);
  message_text(&request, uri);
  message_text(&request, user);
  request.failed = request.failed || uri == NULL || fs == NULL;
  struct answer answer;
  const int asked = ask(&request, &answer, function, name);
  int error = errno;
  if (asked == 0) {
    fs->authority = body_text(&answer.body);
    fs->home = body_text(&answer.body);
    fs->directory = fs->home == NULL ? NULL : strdup(fs->home);
    answer_free(&answer);
    if (fs->directory == NULL) fail_here(error = EPROTO, function, name);
  }
  free(uri);
  if (asked == 0 && fs->directory != NULL) return fs;
  if (fs != NULL) hdfsDisconnect(fs);
  errno = error;
  return NULL;
}

hdfsFS hdfsBuilderConnect(struct hdfsBuilder* bld) {
  if (bld == NULL) {
    fail_here(EINVAL, "hdfsBuilderConnect", NULL);
    return NULL;
  }
  hdfsFS fs = connect_to(bld->name_node, bld->port, bld->user, "hdfsBuilderConnect");
  const int error = errno;
  hdfsFreeBuilder(bld);
  errno = error;
  return fs;
}

hdfsFS hdfsConnect(const char* nn, tPort port) {
  return connect_to(nn, port, NULL, "hdfsConnect");
}

hdfsFS hdfsConnectAsUser(const char* nn, tPort port, const char* user) {
  return connect_to(nn, port, user, "hdfsConnectAsUser");
}

hdfsFS hdfsConnectNewInstance(const char* nn, tPort port) {
  return connect_to(nn, port, NULL, "hdfsConnectNewInstance");
}

hdfsFS hdfsConnectAsUserNewInstance(const char* nn, tPort port, const char* user) {
  return connect_to(nn, port, user, "hdfsConnectAsUserNewInstance");
}

int hdfsDisconnect(hdfsFS fs) {
  if (fs == NULL) return fail_here(EBADF, "hdfsDisconnect", NULL);
  free(fs->authority);
  free(fs->home);
  free(fs->directory);
  free(fs);
  return 0;
}

int hdfsConfGetStr(const char* key, char** val) {
  *val = NULL;
  struct message request;
  message_begin(&request, kYdlConf);
  message_text(&request, key);
  struct answer answer;
  if (ask(&request, &answer, "hdfsConfGetStr", key) != 0) return -1;
  const bool is_set = body_u32(&answer.body) != 0;
  char* value = body_text(&answer.body);
  const bool valid = body_done(&answer.body);
  answer_free(&answer);
  if (valid && is_set)
    *val = value;
  else
    free(value);
  return valid ? 0 : fail_here(EPROTO, "hdfsConfGetStr", key);
}

int hdfsConfGetInt(const char* key, int32_t* val) {
  char* text = NULL;
  if (hdfsConfGetStr(key, &text) != 0) return -1;
  if (text == NULL) return 0; /* `val` keeps the caller's default */
  char* end = NULL;
  errno = 0;
  const long value = strtol(text, &end, 10);
  const bool valid = errno == 0 && end != text && *end == 0 && value >= INT32_MIN && value <= INT32_MAX;
  free(text);
  if (!valid) return fail_here(EINVAL, "hdfsConfGetInt", key);
  *val = (int32_t)value;
  return 0;
}

void hdfsConfStrFree(char* val) {
  free(val);
}

/* ---- paths ---- */

char* uri_of(hdfsFS fs, const char* path, const char* function) {
  if (fs == NULL || path == NULL || *path == 0) {
    fail_here(fs == NULL ? EBADF : EINVAL, function, path);
    return NULL;
  }
  char* uri = NULL;
  if (strstr(path, "://") != NULL) {
    uri = strdup(path);
  } else if (*path == '/') {
    uri = joined(kScheme, fs->authority, path, "");
  } else {
    pthread_mutex_lock(&global_lock);
    uri = joined(kScheme, fs->authority, fs->directory, "/");
    pthread_mutex_unlock(&global_lock);
    char* whole = uri == NULL ? NULL : joined(uri, path, "", "");
    free(uri);
    uri = whole;
  }
  if (uri == NULL) fail_here(ENOMEM, function, path);
  return uri;
}

char* hdfsGetWorkingDirectory(hdfsFS fs, char* buffer, size_t bufferSize) {
  if (fs == NULL || buffer == NULL) {
    fail_here(EINVAL, "hdfsGetWorkingDirectory", NULL);
    return NULL;
  }
  pthread_mutex_lock(&global_lock);
  const int size = snprintf(buffer, bufferSize, "%s%s%s", kScheme, fs->authority, fs->directory);
  pthread_mutex_unlock(&global_lock);
  if (size >= 0 && (size_t)size < bufferSize) return buffer;
  fail_with(ENAMETOOLONG, "hdfsGetWorkingDirectory", NULL, "the buffer is too small", NULL);
  return NULL;
}

int hdfsSetWorkingDirectory(hdfsFS fs, const char* path) {
  char* uri = uri_of(fs, path, "hdfsSetWorkingDirectory");
  if (uri == NULL) return -1;
  const char* slash = strchr(strstr(uri, "://") + 3, '/');
  char* directory = strdup(slash == NULL ? "/" : slash);
  free(uri);
  if (directory == NULL) return fail_here(ENOMEM, "hdfsSetWorkingDirectory", path);
  pthread_mutex_lock(&global_lock);
  free(fs->directory);
  fs->directory = directory;
  pthread_mutex_unlock(&global_lock);
  return 0;
}

/* ---- requests about one path ---- */

/* Begins a request with a path. Returns false after fail_with(). */
static bool begin_with_path(struct message* request, unsigned kind, hdfsFS fs, const char* path, const char* function) {
  char* uri = uri_of(fs, path, function);
  if (uri == NULL) return false;
  message_begin(request, kind);
  message_text(request, uri);
  free(uri);
  return true;
}

int hdfsCreateDirectory(hdfsFS fs, const char* path) {
  struct message request;
  if (!begin_with_path(&request, kYdlMakeDir, fs, path, "hdfsCreateDirectory")) return -1;
  return ask_and_forget(&request, "hdfsCreateDirectory", path);
}

int hdfsDelete(hdfsFS fs, const char* path, int recursive) {
  struct message request;
  if (!begin_with_path(&request, kYdlDelete, fs, path, "hdfsDelete")) return -1;
  message_u32(&request, recursive != 0);
  return ask_and_forget(&request, "hdfsDelete", path);
}

int hdfsRename(hdfsFS fs, const char* oldPath, const char* newPath) {
  struct message request;
  char* to = uri_of(fs, newPath, "hdfsRename");
  if (to == NULL) return -1;
  const bool begun = begin_with_path(&request, kYdlRename, fs, oldPath, "hdfsRename");
  if (begun) message_text(&request, to);
  free(to);
  return begun ? ask_and_forget(&request, "hdfsRename", oldPath) : -1;
}

int hdfsChmod(hdfsFS fs, const char* path, short mode) {
  struct message request;
  if (!begin_with_path(&request, kYdlChmod, fs, path, "hdfsChmod")) return -1;
  message_u32(&request, (uint32_t)mode & 07777u);
  return ask_and_forget(&request, "hdfsChmod", path);
}

int hdfsChown(hdfsFS fs, const char* path, const char* owner, const char* group) {
  struct message request;
  if (owner == NULL && group == NULL) return 0;
  if (!begin_with_path(&request, kYdlChown, fs, path, "hdfsChown")) return -1;
  message_text(&request, owner);
  message_text(&request, group);
  return ask_and_forget(&request, "hdfsChown", path);
}

int hdfsUtime(hdfsFS fs, const char* path, tTime mtime, tTime atime) {
  struct message request;
  if (!begin_with_path(&request, kYdlUtime, fs, path, "hdfsUtime")) return -1;
  message_u64(&request, (uint64_t)(int64_t)mtime);
  message_u64(&request, (uint64_t)(int64_t)atime);
  return ask_and_forget(&request, "hdfsUtime", path);
}

int hdfsSetReplication(hdfsFS fs, const char* path, int16_t replication) {
  struct message request;
  if (replication < 1) return fail_here(EINVAL, "hdfsSetReplication", path);
  if (!begin_with_path(&request, kYdlReplication, fs, path, "hdfsSetReplication")) return -1;
  message_u32(&request, (uint32_t)replication);
  return ask_and_forget(&request, "hdfsSetReplication", path);
}

/* Asks a question about a path whose answer has two numbers. Returns the one with this index, or -1. */
static tOffset ask_number(unsigned kind, hdfsFS fs, const char* path, int index, const char* function) {
  struct message request;
  if (!begin_with_path(&request, kind, fs, path, function)) return -1;
  struct answer answer;
  if (ask(&request, &answer, function, path) != 0) return -1;
  uint64_t value = body_u64(&answer.body);
  if (index == 1) value = body_u64(&answer.body);
  const bool valid = !answer.body.broken && value <= INT64_MAX;
  answer_free(&answer);
  return valid ? (tOffset)value : (tOffset)fail_here(EPROTO, function, path);
}

tOffset hdfsGetCapacity(hdfsFS fs) {
  return ask_number(kYdlSpace, fs, "/", 0, "hdfsGetCapacity");
}

tOffset hdfsGetUsed(hdfsFS fs) {
  return ask_number(kYdlSpace, fs, "/", 1, "hdfsGetUsed");
}

tOffset hdfsGetDefaultBlockSize(hdfsFS fs) {
  return ask_number(kYdlDefaults, fs, "/", 0, "hdfsGetDefaultBlockSize");
}

tOffset hdfsGetDefaultBlockSizeAtPath(hdfsFS fs, const char* path) {
  return ask_number(kYdlDefaults, fs, path, 0, "hdfsGetDefaultBlockSizeAtPath");
}

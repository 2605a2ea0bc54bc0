// What glibc, linked statically, would do by loading modules of the host it runs on, and which may be of another glibc
// (docs/adr/0002): looking up hosts, services and users, and dlopen itself. Libraries refer to these functions on ways
// that ydl never takes: names come from c-ares, users from /etc/passwd. Here they all fail, so that nothing is loaded
// even if one is called, by an openssl.cnf that names a provider for instance. Part of the static binary only.
#include <cerrno>
#include <dlfcn.h>
#include <netdb.h>
#include <pwd.h>

extern "C" {

int getaddrinfo(const char* /*host*/, const char* /*service*/, const addrinfo* /*hints*/, addrinfo** /*found*/) {
  return EAI_FAIL;
}
void freeaddrinfo(addrinfo* /*list*/) noexcept {}
int getnameinfo(const sockaddr* /*address*/, socklen_t /*size*/, char* /*host*/, socklen_t /*host_size*/,
                char* /*service*/, socklen_t /*service_size*/, int /*flags*/) {
  return EAI_FAIL;
}
hostent* gethostbyname(const char* /*name*/) {
  return nullptr;
}
servent* getservbyname(const char* /*name*/, const char* /*protocol*/) {
  return nullptr;
}
int getservbyport_r(int /*port*/, const char* /*protocol*/, servent* /*entry*/, char* /*buffer*/, size_t /*size*/,
                    servent** found) {
  *found = nullptr;
  return ENOENT;
}
int getpwnam_r(const char* /*name*/, passwd* /*entry*/, char* /*buffer*/, size_t /*size*/, passwd** found) {
  *found = nullptr;
  return 0;  // there is no such user
}
int getpwuid_r(uid_t /*uid*/, passwd* /*entry*/, char* /*buffer*/, size_t /*size*/, passwd** found) {
  *found = nullptr;
  return 0;
}

void* dlopen(const char* /*file*/, int /*mode*/) noexcept {
  return nullptr;
}
void* dlsym(void* /*handle*/, const char* /*name*/) noexcept {
  return nullptr;
}
int dlclose(void* /*handle*/) noexcept {
  return -1;
}
int dladdr(const void* /*address*/, Dl_info* /*info*/) noexcept {
  return 0;
}
char* dlerror() noexcept {
  static char why[] = "ydl is a static program and loads nothing";
  return why;
}

}  // extern "C"

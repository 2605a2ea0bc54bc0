// What MIT krb5 asks of the system it runs on, without the modules that glibc would load for it (docs/adr/0002):
// tools/setup/krb5.sh renames the calls to the functions below. Names come from the hosts file and DNS through c-ares;
// accounts and services are unknown, which krb5 can live with.
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <optional>
#include <poll.h>
#include <pwd.h>
#include <string>
#include <string_view>

#include <ares.h>

namespace {

constexpr int kDnsTimeoutMs = 2000;
constexpr int kDnsTries = 2;

// One address as krb5 gets it; freeaddrinfo finds the whole again from the first member.
struct Address {
  addrinfo info{};
  sockaddr_storage storage{};
  std::string canonical_name;
};

struct Lookup {
  int status = ARES_ECANCELLED;
  ares_addrinfo* found = nullptr;
};

void take_result(void* lookup, int status, int /*timeouts*/, ares_addrinfo* found) {
  *static_cast<Lookup*>(lookup) = {status, found};
}

// krb5 waits for its KDC in the same way: the caller has set a thread or a process aside for it.
void wait_for_answers(ares_channel channel) {
  std::array<ares_socket_t, ARES_GETSOCK_MAXNUM> sockets{};
  while (const auto wanted = static_cast<unsigned>(ares_getsock(channel, sockets.data(), ARES_GETSOCK_MAXNUM))) {
    std::array<pollfd, ARES_GETSOCK_MAXNUM> polled{};
    nfds_t count = 0;
    for (unsigned i = 0; i < ARES_GETSOCK_MAXNUM; ++i) {
      const bool readable = ARES_GETSOCK_READABLE(wanted, i);
      const bool writable = ARES_GETSOCK_WRITABLE(wanted, i);
      if (readable || writable) {
        polled[count++] = {.fd = sockets[i],
                           .events = static_cast<short>((readable ? POLLIN : 0) | (writable ? POLLOUT : 0)),
                           .revents = 0};
      }
    }
    timeval longest{.tv_sec = kDnsTimeoutMs / 1000, .tv_usec = 0};
    const timeval* wait = ares_timeout(channel, &longest, &longest);
    poll(polled.data(), count, static_cast<int>(wait->tv_sec * 1000 + wait->tv_usec / 1000 + 1));
    for (nfds_t i = 0; i < count; ++i) {
      const auto& it = polled[i];
      ares_process_fd(channel, (it.revents & ~POLLOUT) != 0 ? it.fd : ARES_SOCKET_BAD,
                      (it.revents & POLLOUT) != 0 ? it.fd : ARES_SOCKET_BAD);
    }
    ares_process_fd(channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);  // whose time is up
  }
}

Lookup look_up(const char* name, int family) {
  ares_options options{};
  options.timeout = kDnsTimeoutMs;
  options.tries = kDnsTries;
  ares_channel channel = nullptr;
  Lookup lookup;
  if (ares_init_options(&channel, &options, ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES) != ARES_SUCCESS) {
    return lookup;
  }
  ares_addrinfo_hints hints{};
  hints.ai_family = family;
  hints.ai_flags = ARES_AI_CANONNAME;
  ares_getaddrinfo(channel, name, nullptr, &hints, take_result, &lookup);
  wait_for_answers(channel);
  ares_destroy(channel);
  return lookup;
}

int gai_error(int status) {
  switch (status) {
    case ARES_ENOMEM:
      return EAI_MEMORY;
    case ARES_ENOTFOUND:
    case ARES_ENODATA:
    case ARES_EBADNAME:
      return EAI_NONAME;
    default:
      return EAI_AGAIN;
  }
}

void set_port(sockaddr_storage& storage, std::uint16_t port) {
  if (storage.ss_family == AF_INET6) {
    reinterpret_cast<sockaddr_in6&>(storage).sin6_port = htons(port);
  } else {
    reinterpret_cast<sockaddr_in&>(storage).sin_port = htons(port);
  }
}

// Ports are numbers: krb5 resolves the names of services itself, by the function below, and has defaults.
std::optional<std::uint16_t> parse_port(const char* service) {
  const std::string_view text = service == nullptr ? "0" : service;
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional{port} : std::nullopt;
}

std::unique_ptr<Address> make_address(const ares_addrinfo_node& node, const addrinfo& hints, std::uint16_t port) {
  auto address = std::make_unique<Address>();
  std::memcpy(&address->storage, node.ai_addr, node.ai_addrlen);
  set_port(address->storage, port);
  address->info.ai_family = node.ai_family;
  address->info.ai_socktype = hints.ai_socktype != 0 ? hints.ai_socktype : SOCK_STREAM;
  address->info.ai_protocol = hints.ai_protocol;
  address->info.ai_addrlen = node.ai_addrlen;
  address->info.ai_addr = reinterpret_cast<sockaddr*>(&address->storage);
  return address;
}

}  // namespace

extern "C" {

void ydl_krb5_freeaddrinfo(addrinfo* list) {
  while (list != nullptr) {
    auto* const next = list->ai_next;
    delete reinterpret_cast<Address*>(list);
    list = next;
  }
}

int ydl_krb5_getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** result) {
  const addrinfo wanted = hints != nullptr ? *hints : addrinfo{};
  const auto port = parse_port(service);
  if (node == nullptr || !port) {
    return EAI_SERVICE;
  }
  const auto lookup = look_up(node, wanted.ai_family);
  const std::unique_ptr<ares_addrinfo, decltype(&ares_freeaddrinfo)> found{lookup.found, ares_freeaddrinfo};
  if (lookup.status != ARES_SUCCESS || found == nullptr) {
    return gai_error(lookup.status);
  }
  addrinfo** tail = result;
  *tail = nullptr;
  for (const auto* it = found->nodes; it != nullptr; it = it->ai_next) {
    auto* const address = make_address(*it, wanted, *port).release();
    if (tail == result && (wanted.ai_flags & AI_CANONNAME) != 0) {
      address->canonical_name = found->cnames != nullptr ? found->cnames->name : node;
      address->info.ai_canonname = address->canonical_name.data();
    }
    *tail = &address->info;
    tail = &address->info.ai_next;
  }
  return *result == nullptr ? EAI_NONAME : 0;
}

// Numbers only: an address that has to have a name keeps the one it was given.
int ydl_krb5_getnameinfo(const sockaddr* address, socklen_t /*length*/, char* host, socklen_t host_size, char* service,
                         socklen_t service_size, int flags) {
  if ((flags & NI_NUMERICHOST) == 0 && host != nullptr) {
    return EAI_NONAME;
  }
  const bool is_v6 = address->sa_family == AF_INET6;
  if (!is_v6 && address->sa_family != AF_INET) {
    return EAI_FAMILY;
  }
  const auto* const v4 = reinterpret_cast<const sockaddr_in*>(address);
  const auto* const v6 = reinterpret_cast<const sockaddr_in6*>(address);
  const void* const bytes = is_v6 ? static_cast<const void*>(&v6->sin6_addr) : &v4->sin_addr;
  if (host != nullptr && inet_ntop(address->sa_family, bytes, host, host_size) == nullptr) {
    return EAI_OVERFLOW;
  }
  const auto port = std::to_string(ntohs(is_v6 ? v6->sin6_port : v4->sin_port));
  if (service != nullptr) {
    if (port.size() >= service_size) {
      return EAI_OVERFLOW;
    }
    std::memcpy(service, port.c_str(), port.size() + 1);
  }
  return 0;
}

int ydl_krb5_getpwnam_r(const char* /*name*/, passwd* /*entry*/, char* /*buffer*/, std::size_t /*size*/,
                        passwd** result) {
  *result = nullptr;
  return 0;
}

int ydl_krb5_getpwuid_r(uid_t /*user*/, passwd* /*entry*/, char* /*buffer*/, std::size_t /*size*/, passwd** result) {
  *result = nullptr;
  return 0;
}

servent* ydl_krb5_getservbyname(const char* /*name*/, const char* /*protocol*/) {
  return nullptr;
}

}  // extern "C"

// The functions that MIT krb5 calls instead of glibc's. Names need a hosts file or DNS and are not looked up here.
#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <pwd.h>
#include <string>

extern "C" {
int ydl_krb5_getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** result);
void ydl_krb5_freeaddrinfo(addrinfo* list);
int ydl_krb5_getnameinfo(const sockaddr* address, socklen_t length, char* host, socklen_t host_size, char* service,
                         socklen_t service_size, int flags);
int ydl_krb5_getpwuid_r(uid_t user, passwd* entry, char* buffer, std::size_t size, passwd** result);
servent* ydl_krb5_getservbyname(const char* name, const char* protocol);
}

namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&ydl_krb5_freeaddrinfo)>;

Addresses addresses_of(const char* host, const char* port, const addrinfo& wanted) {
  addrinfo* list = nullptr;
  EXPECT_EQ(ydl_krb5_getaddrinfo(host, port, &wanted, &list), 0);
  return {list, ydl_krb5_freeaddrinfo};
}

addrinfo hints(int flags, int family, int socket_type) {
  addrinfo result{};
  result.ai_flags = flags;
  result.ai_family = family;
  result.ai_socktype = socket_type;
  return result;
}

std::string numeric(const addrinfo& address) {
  std::array<char, 64> host{};
  std::array<char, 8> port{};
  EXPECT_EQ(ydl_krb5_getnameinfo(address.ai_addr, address.ai_addrlen, host.data(), host.size(), port.data(),
                                 port.size(), NI_NUMERICHOST | NI_NUMERICSERV),
            0);
  return std::string{host.data()} + " " + port.data();
}

TEST(Krb5Host, a_numeric_address_keeps_port_and_kind_of_socket) {
  const auto found = addresses_of("127.0.0.1", "88", hints(AI_NUMERICSERV, AF_UNSPEC, SOCK_DGRAM));
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->ai_family, AF_INET);
  EXPECT_EQ(found->ai_socktype, SOCK_DGRAM);
  EXPECT_EQ(numeric(*found), "127.0.0.1 88");
  EXPECT_EQ(found->ai_next, nullptr);
}

TEST(Krb5Host, ipv6_works_too) {
  const auto found = addresses_of("::1", "65535", hints(0, AF_UNSPEC, SOCK_STREAM));
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(numeric(*found), "::1 65535");
}

TEST(Krb5Host, the_canonical_name_of_an_address_is_the_address) {
  const auto found = addresses_of("127.0.0.1", nullptr, hints(AI_CANONNAME, AF_UNSPEC, 0));
  ASSERT_NE(found, nullptr);
  EXPECT_STREQ(found->ai_canonname, "127.0.0.1");
}

TEST(Krb5Host, a_port_that_is_not_a_number_is_refused) {
  addrinfo* list = nullptr;
  EXPECT_EQ(ydl_krb5_getaddrinfo("127.0.0.1", "kerberos", nullptr, &list), EAI_SERVICE);
  EXPECT_EQ(ydl_krb5_getaddrinfo("127.0.0.1", "65536", nullptr, &list), EAI_SERVICE);
  EXPECT_EQ(ydl_krb5_getaddrinfo("127.0.0.1", "88x", nullptr, &list), EAI_SERVICE);
}

TEST(Krb5Host, an_address_has_no_name_but_itself) {
  const auto found = addresses_of("127.0.0.1", nullptr, hints(0, AF_INET, 0));
  ASSERT_NE(found, nullptr);
  std::array<char, 64> host{};
  EXPECT_EQ(ydl_krb5_getnameinfo(found->ai_addr, found->ai_addrlen, host.data(), host.size(), nullptr, 0, 0),
            EAI_NONAME);
  std::array<char, 4> too_small{};
  EXPECT_EQ(ydl_krb5_getnameinfo(found->ai_addr, found->ai_addrlen, too_small.data(), too_small.size(), nullptr, 0,
                                 NI_NUMERICHOST),
            EAI_OVERFLOW);
}

TEST(Krb5Host, accounts_and_services_are_unknown) {
  passwd entry{};
  passwd* found = &entry;
  EXPECT_EQ(ydl_krb5_getpwuid_r(0, &entry, nullptr, 0, &found), 0);
  EXPECT_EQ(found, nullptr);
  EXPECT_EQ(ydl_krb5_getservbyname("kerberos", "udp"), nullptr);
}

}  // namespace

#pragma once

#include "net/asio.hpp"

#include <string>
#include <vector>

#include <boost/asio/ip/address.hpp>

namespace ydl::net {

struct ResolverOptions {
  std::string servers;                          // "127.0.0.1:5353,...": asked instead of those of /etc/resolv.conf
  core::Millis first_try = core::Millis(2000);  // then the next try, and twice the time
};

// The addresses of a host, best first, by /etc/hosts and DNS (c-ares: a static binary must not load the C library's
// resolver modules). A numeric address is its own answer.
// Errors: not_found (nobody knows the name), unavailable (no name server answers), timeout.
[[nodiscard]] Async<std::vector<asio::ip::address>> resolve(std::string host, core::Millis at_most,
                                                            ResolverOptions options = {});

// The name of an address, by /etc/hosts and DNS. Errors: as above.
[[nodiscard]] Async<std::string> reverse_name(asio::ip::address address, core::Millis at_most,
                                              ResolverOptions options = {});

}  // namespace ydl::net

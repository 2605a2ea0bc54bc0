#pragma once

#include "net/asio.hpp"

#include <string>
#include <vector>

#include <boost/asio/ip/address.hpp>

namespace ydl::net {

struct ResolverOptions {
  std::string servers;                          // "127.0.0.1:5353,...": used instead of those in /etc/resolv.conf
  core::Millis first_try = core::Millis(2000);  // timeout of the first try; it doubles with each retry
};

// The addresses of a host, best first, from /etc/hosts and DNS. Uses c-ares, because a static binary must not load the
// C library's resolver modules. A numeric address is returned as it is. Errors: not_found (the name does not exist),
// unavailable (no name server answers), timeout.
[[nodiscard]] Async<std::vector<asio::ip::address>> resolve(std::string host, core::Millis at_most,
                                                            ResolverOptions options = {});

// The name of an address, from /etc/hosts and DNS. Errors: as above.
[[nodiscard]] Async<std::string> reverse_name(asio::ip::address address, core::Millis at_most,
                                              ResolverOptions options = {});

}  // namespace ydl::net

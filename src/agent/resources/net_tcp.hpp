#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ydl::agent {

// The inodes of the sockets that listen on `port`, from the text of /proc/net/tcp or /proc/net/tcp6. Lines that do not
// look as they should are passed over: the kernel cuts some when sockets come and go under the reader.
[[nodiscard]] std::vector<std::uint64_t> listening_inodes(std::string_view text, std::uint16_t port);

}  // namespace ydl::agent

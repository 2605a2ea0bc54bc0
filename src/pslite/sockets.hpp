#pragma once

#include <string>

#include <boost/asio/ip/tcp.hpp>

namespace ydl::pslite {

// Disables Nagle's algorithm, so that small messages are sent immediately, and prevents child processes from inheriting
// the socket.
void prepare(boost::asio::ip::tcp::socket& socket);

// "10.0.0.7"; IPv4-mapped addresses are converted to IPv4; empty if the peer has disconnected.
[[nodiscard]] std::string remote_address(const boost::asio::ip::tcp::socket& socket);

// "10.0.0.7:4711", or "a disconnected peer".
[[nodiscard]] std::string remote_name(const boost::asio::ip::tcp::socket& socket);

}  // namespace ydl::pslite

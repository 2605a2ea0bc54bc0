#pragma once

#include <string>

#include <boost/asio/ip/tcp.hpp>

namespace ydl::pslite {

// Small messages go out at once, and tasks that the master starts do not inherit the socket.
void prepare(boost::asio::ip::tcp::socket& socket);

// "10.0.0.7", as an IPv4 address where it is one; empty: the peer is gone.
[[nodiscard]] std::string remote_address(const boost::asio::ip::tcp::socket& socket);

// "10.0.0.7:4711", or "a peer that is gone".
[[nodiscard]] std::string remote_name(const boost::asio::ip::tcp::socket& socket);

}  // namespace ydl::pslite

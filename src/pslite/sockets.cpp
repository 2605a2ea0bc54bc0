#include "pslite/sockets.hpp"

#include <fcntl.h>

#include <fmt/format.h>

namespace ydl::pslite {

void prepare(boost::asio::ip::tcp::socket& socket) {
  boost::system::error_code ignored;
  socket.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
  ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
}

std::string remote_address(const boost::asio::ip::tcp::socket& socket) {
  boost::system::error_code error;
  const auto address = socket.remote_endpoint(error).address();
  if (error) return "";
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6()).to_string();
  return address.to_string();
}

std::string remote_name(const boost::asio::ip::tcp::socket& socket) {
  boost::system::error_code error;
  const auto endpoint = socket.remote_endpoint(error);
  if (error) return "a disconnected peer";
  return fmt::format("{}:{}", endpoint.address().to_string(), endpoint.port());
}

}  // namespace ydl::pslite

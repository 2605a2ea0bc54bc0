#pragma once

#include "core/user.hpp"
#include "net/stream.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include <boost/asio/basic_socket_acceptor.hpp>

namespace ydl::net {

// Where a server waits for connections: a port, or a socket file of this machine that goes with it.
class Listener {
 public:
  struct Ports {
    std::string address = "127.0.0.1";
    std::uint16_t first = 0;  // 0: any free one
    std::uint16_t last = 0;   // above `first`: any of the two and what lies between will do
  };
  // Errors: io, with address and port.
  [[nodiscard]] static core::Result<Listener> on_port(const asio::any_io_executor& executor, const Ports& ports);
  // The file is replaced where it exists, and only its owner may connect. A path of any length will do.
  // Errors: io, as where a file system takes no sockets.
  [[nodiscard]] static core::Result<Listener> on_file(const asio::any_io_executor& executor,
                                                      const std::filesystem::path& file);
  ~Listener();
  Listener(Listener&&) noexcept = default;

  [[nodiscard]] awaitable<std::pair<boost::system::error_code, Socket>> accept();
  [[nodiscard]] std::uint16_t port() const;  // 0 of a file
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] bool is_open() const { return acceptor_.is_open(); }
  void close();

 private:
  using Acceptor = asio::basic_socket_acceptor<asio::generic::stream_protocol>;
  explicit Listener(Acceptor acceptor) : acceptor_(std::move(acceptor)) {}

  Acceptor acceptor_;
  std::filesystem::path file_;
};

// A new folder that only we may enter, in XDG_RUNTIME_DIR or else /tmp, for the socket of a folder whose file system
// takes none. Errors: io.
[[nodiscard]] core::Result<std::filesystem::path> make_socket_folder(const core::Getenv& getenv = core::process_getenv);

// Connects to a socket file; a path of any length will do.
[[nodiscard]] awaitable<std::pair<boost::system::error_code, Socket>> connect_to_file(asio::any_io_executor executor,
                                                                                      std::filesystem::path file,
                                                                                      core::Millis timeout);
[[nodiscard]] awaitable<std::pair<boost::system::error_code, Socket>> connect_to_port(
    asio::any_io_executor executor, asio::generic::stream_protocol::endpoint to, core::Millis timeout);

}  // namespace ydl::net

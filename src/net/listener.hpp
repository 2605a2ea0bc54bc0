#pragma once

#include "core/user.hpp"
#include "net/stream.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include <boost/asio/basic_socket_acceptor.hpp>

namespace ydl::net {

// A server's listening socket: a TCP port, or a Unix socket file that is removed in close().
class Listener {
 public:
  struct Ports {
    std::string address = "127.0.0.1";
    std::uint16_t first = 0;  // 0: any free port
    std::uint16_t last = 0;   // if higher than `first`: the first free port of this range is used
  };
  // Errors: io, with address and port.
  [[nodiscard]] static core::Result<Listener> on_port(const asio::any_io_executor& executor, const Ports& ports);
  // An existing file is replaced, and only its owner can connect. The path may have any length. Errors: io, for example
  // on a file system without sockets.
  [[nodiscard]] static core::Result<Listener> on_file(const asio::any_io_executor& executor,
                                                      const std::filesystem::path& file);
  ~Listener();
  Listener(Listener&&) noexcept = default;

  [[nodiscard]] awaitable<std::pair<boost::system::error_code, Socket>> accept();
  [[nodiscard]] std::uint16_t port() const;  // 0 for a socket file
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] bool is_open() const { return acceptor_.is_open(); }
  void close();

 private:
  using Acceptor = asio::basic_socket_acceptor<asio::generic::stream_protocol>;
  explicit Listener(Acceptor acceptor) : acceptor_(std::move(acceptor)) {}

  Acceptor acceptor_;
  std::filesystem::path file_;
};

// Creates a folder that only the current user can enter, in XDG_RUNTIME_DIR or else in /tmp. For the socket of a job
// whose own folder is on a file system without sockets. Errors: io.
[[nodiscard]] core::Result<std::filesystem::path> make_socket_folder(const core::Getenv& getenv = core::process_getenv);

// Connects to a socket file. The path may have any length.
[[nodiscard]] awaitable<std::pair<boost::system::error_code, Socket>> connect_to_file(asio::any_io_executor executor,
                                                                                      std::filesystem::path file,
                                                                                      core::Millis timeout);
[[nodiscard]] awaitable<std::pair<boost::system::error_code, Socket>> connect_to_port(
    asio::any_io_executor executor, asio::generic::stream_protocol::endpoint to, core::Millis timeout);

}  // namespace ydl::net

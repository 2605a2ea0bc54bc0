#include "net/listener.hpp"

#include "core/files.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <fmt/format.h>

namespace ydl::net {
namespace {

using Protocol = asio::generic::stream_protocol;
using Local = asio::local::stream_protocol;
using boost::system::error_code;

constexpr core::Millis kFullPause{10};

error_code last_error() {
  return {errno, boost::system::system_category()};
}

// The address of a Unix socket has room for 107 bytes only. A path through /proc/self/fd is short for any folder.
struct ShortName {
  core::UniqueFd folder;
  std::string path;
};
core::Result<ShortName> shorten(const std::filesystem::path& file) {
  const auto parent = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  core::UniqueFd folder(::open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) return core::fail(core::system_error(errno, fmt::format("cannot open {}", parent.string())));
  auto path = fmt::format("/proc/self/fd/{}/{}", folder.get(), file.filename().string());
  if (path.size() >= sizeof(sockaddr_un::sun_path))
    return core::fail(core::Errc::io, fmt::format("the name of {} is too long for a socket", file.string()));
  return ShortName{std::move(folder), std::move(path)};
}

}  // namespace

core::Result<Listener> Listener::on_port(const asio::any_io_executor& executor, const Ports& ports) {
  error_code error;
  const auto refuse = [&] {
    const auto range =
        ports.last > ports.first ? fmt::format(" to {}: choose others with --port-range", ports.last) : "";
    return core::fail(core::Errc::io,
                      fmt::format("cannot listen on {}:{}{}: {}", ports.address, ports.first, range, error.message()));
  };
  const auto address = asio::ip::make_address(ports.address, error);
  if (error) return refuse();
  Acceptor acceptor(executor);
  acceptor.open(asio::ip::tcp::endpoint(address, 0).protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (error) return refuse();
  const int last = std::max(ports.first, ports.last);
  for (int port = ports.first; port <= last; ++port) {
    acceptor.bind(asio::ip::tcp::endpoint(address, static_cast<std::uint16_t>(port)), error);
    if (error != asio::error::address_in_use) break;
  }
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return refuse();
  return Listener(std::move(acceptor));
}

core::Result<Listener> Listener::on_file(const asio::any_io_executor& executor, const std::filesystem::path& file) {
  const auto name = shorten(file);
  if (!name) return core::fail(name.error());
  ::unlink(name->path.c_str());
  error_code error;
  Acceptor acceptor(executor);
  acceptor.open(Local(), error);
  if (!error) acceptor.bind(Local::endpoint(name->path), error);
  if (!error && ::chmod(name->path.c_str(), 0600) != 0) error = last_error();
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return core::fail(core::Errc::io, fmt::format("cannot listen on {}: {}", file.string(), error.message()));
  Listener listener(std::move(acceptor));
  listener.file_ = file;
  return listener;
}

Listener::~Listener() {
  close();
}

awaitable<std::pair<error_code, Socket>> Listener::accept() {
  auto [error, socket] = co_await acceptor_.async_accept(tuple);
  co_return std::pair{error, std::move(socket)};
}

std::uint16_t Listener::port() const {
  error_code error;
  const auto here = acceptor_.local_endpoint(error);
  if (error || here.protocol().family() == AF_UNIX) return 0;
  const auto* address = here.data();
  return ntohs(here.protocol().family() == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(address)->sin6_port
                                                    : reinterpret_cast<const sockaddr_in*>(address)->sin_port);
}

void Listener::close() {
  if (!acceptor_.is_open()) return;
  error_code ignored;
  acceptor_.close(ignored);
  std::error_code gone;
  if (!file_.empty()) std::filesystem::remove(file_, gone);
}

core::Result<std::filesystem::path> make_socket_folder(const core::Getenv& getenv) {
  auto parent = getenv("XDG_RUNTIME_DIR").value_or("");
  if (parent.empty()) parent = "/tmp";
  auto path = (std::filesystem::path(parent) / "ydl-XXXXXX").string();
  if (::mkdtemp(path.data()) == nullptr)
    return core::fail(core::system_error(errno, fmt::format("cannot create a folder in {}", parent)));
  return path;
}

// connect() on a non-blocking Unix socket never waits: it fails with EAGAIN while the accept queue is full, and must be
// retried.
awaitable<std::pair<error_code, Socket>> connect_to_file(asio::any_io_executor executor, std::filesystem::path file,
                                                         core::Millis timeout) {
  Socket socket(executor);
  const auto name = shorten(file);
  if (!name) co_return std::pair{error_code(ENOENT, boost::system::system_category()), std::move(socket)};
  const auto deadline = core::steady_now() + timeout;
  const Local::endpoint to(name->path);
  for (;;) {
    error_code error;
    socket.open(Local(), error);
    if (!error) socket.non_blocking(true, error);
    if (!error && ::connect(socket.native_handle(), to.data(), static_cast<socklen_t>(to.size())) != 0)
      error = last_error();
    if (error != asio::error::would_block) co_return std::pair{error, std::move(socket)};
    socket.close(error);
    if (core::steady_now() >= deadline) co_return std::pair{error_code(asio::error::timed_out), std::move(socket)};
    co_await pause(kFullPause);
  }
}

awaitable<std::pair<error_code, Socket>> connect_to_port(asio::any_io_executor executor, Protocol::endpoint to,
                                                         core::Millis timeout) {
  Socket socket(executor);
  const auto late = std::make_shared<bool>(false);
  const auto stop = std::make_shared<asio::cancellation_signal>();
  asio::steady_timer timer(executor, timeout);
  timer.async_wait([late, stop](error_code cancelled) {
    if (cancelled) return;
    *late = true;
    stop->emit(asio::cancellation_type::all);
  });
  error_code error;
  socket.open(to.protocol(), error);
  if (!error) {
    const auto [failed] = co_await socket.async_connect(to, asio::bind_cancellation_slot(stop->slot(), tuple));
    error = failed;
  }
  timer.cancel();
  if (*late) error = asio::error::timed_out;
  if (!error) socket.set_option(asio::ip::tcp::no_delay(true), error);
  co_return std::pair{error, std::move(socket)};
}

}  // namespace ydl::net

#include "hdfs/data_socket.hpp"

#include "hdfs/errors.hpp"

#include <fcntl.h>
#include <optional>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

namespace ydl::hdfs {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using ErrorCode = boost::system::error_code;

namespace {

constexpr std::size_t kWriteSize = std::size_t{4} << 20U;

}  // namespace

struct DataSocket::State : std::enable_shared_from_this<State> {
  State(const asio::any_io_executor& executor, const tcp::endpoint& endpoint)
      : socket(executor),
        timer(executor),
        name(fmt::format("{}:{}", endpoint.address().to_string(), endpoint.port())) {}

  tcp::socket socket;
  asio::steady_timer timer;
  std::string name;
  std::optional<core::Instant> read_until;  // set during a read or connect
  std::optional<core::Instant> write_until;
  std::optional<core::Instant> armed_until;
  bool timed_out = false;

  [[nodiscard]] std::optional<core::Instant> earliest() const {
    if (read_until && write_until) return std::min(*read_until, *write_until);
    return read_until ? read_until : write_until;
  }

  // Makes sure that the timer expires no later than the earliest deadline.
  void arm() {
    const auto until = earliest();
    if (!until || (armed_until && *armed_until <= *until)) return;
    armed_until = until;
    timer.expires_at(*until);
    timer.async_wait([self = shared_from_this()](const ErrorCode& error) {
      if (error) return;
      self->armed_until.reset();
      const auto due = self->earliest();
      if (due && *due <= core::steady_now()) {
        self->timed_out = true;
        self->close();
      } else {
        self->arm();
      }
    });
  }

  void close() {
    ErrorCode ignored;
    socket.close(ignored);
    timer.cancel();
  }

  [[nodiscard]] core::Error explain(const ErrorCode& error, std::string_view what) const {
    if (timed_out)
      return hdfs::error(Errc::datanode_silent, fmt::format("{} DataNode {}: no answer in time", what, name));
    const std::string why = error == asio::error::eof ? "it closed the connection" : error.message();
    return hdfs::error(Errc::datanode_lost, fmt::format("{} DataNode {}: {}", what, name, why));
  }
};

net::Async<DataSocket> DataSocket::connect(tcp::endpoint peer, core::Millis at_most) {
  auto state = std::make_shared<State>(co_await asio::this_coro::executor, peer);
  state->read_until = core::steady_now() + at_most;
  state->arm();
  const auto [error] = co_await state->socket.async_connect(peer, net::tuple);
  state->read_until.reset();
  if (error) {
    state->close();
    co_return core::fail(state->explain(error, "connecting to"));
  }
  ErrorCode ignored;
  state->socket.set_option(tcp::no_delay(true), ignored);
  ::fcntl(state->socket.native_handle(), F_SETFD, FD_CLOEXEC);
  co_return DataSocket(std::move(state));
}

net::Async<std::size_t> DataSocket::read_some(std::span<char> into, core::Millis at_most) {
  const auto state = state_;
  state->read_until = core::steady_now() + at_most;
  state->arm();
  const auto [error, size] = co_await state->socket.async_read_some(asio::buffer(into.data(), into.size()), net::tuple);
  state->read_until.reset();
  if (error) co_return core::fail(state->explain(error, "reading from"));
  co_return size;
}

net::Async<> DataSocket::write(std::span<const std::string_view> pieces, core::Millis at_most) {
  const auto state = state_;
  std::vector<asio::const_buffer> buffers;
  buffers.reserve(pieces.size());
  for (const auto piece : pieces) buffers.emplace_back(piece.data(), piece.size());
  state->write_until = core::steady_now() + at_most;
  state->arm();
  // By default Asio passes at most 64 KiB per call to the kernel. We usually have a megabyte ready.
  const auto all_at_once = [](const ErrorCode& failed, std::size_t) { return failed ? 0 : kWriteSize; };
  const auto [error, size] = co_await asio::async_write(state->socket, buffers, all_at_once, net::tuple);
  state->write_until.reset();
  if (error) co_return core::fail(state->explain(error, "writing to"));
  co_return core::Result<>{};
}

void DataSocket::close() {
  if (state_) state_->close();
}

DataSocket::~DataSocket() {
  close();
}

DataSocket& DataSocket::operator=(DataSocket&& other) noexcept {
  close();
  state_ = std::move(other.state_);
  return *this;
}

const std::string& DataSocket::peer() const {
  return state_->name;
}

bool DataSocket::still_quiet() {
  char byte = 0;
  const auto got = ::recv(state_->socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

}  // namespace ydl::hdfs

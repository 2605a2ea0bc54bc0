#include "net/http_client.hpp"

#include "core/strings.hpp"
#include "net/errors.hpp"
#include "net/listener.hpp"
#include "net/stream.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

namespace ydl::net {

namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;

namespace {

constexpr std::size_t kReadSize = std::size_t{16} << 10U;

core::Error explain(const boost::system::error_code& error, const Endpoint& endpoint, std::string_view what) {
  const auto place = fmt::format("{} {}", what, describe(endpoint));
  if (error == asio::error::timed_out) return {make_error_code(core::Errc::timeout), place + ": no answer in time"};
  if (error == http::error::end_of_stream || error == http::error::partial_message)
    return {make_error_code(core::Errc::unavailable),
            place + ": the connection was closed before the answer was complete"};
  if (error == http::error::body_limit) {
    return {make_error_code(core::Errc::corrupt),
            fmt::format("{}: the answer is larger than the limit; it probably does not come from a ydl master", place)};
  }
  if (error.category() == http::make_error_code(http::error::end_of_stream).category()) {
    return {make_error_code(core::Errc::corrupt),
            fmt::format("{}: the server at this address does not speak HTTP ({})", place, error.message())};
  }
  if (is_tls_error(error)) {
    return {make_error_code(Errc::untrusted),
            fmt::format("{}: the server at this address is not the job's master: the TLS handshake failed ({})", place,
                        error.message())};
  }
  return {make_error_code(core::Errc::unavailable), fmt::format("{}: {}", place, error.message())};
}

const TlsContext& client_side() {
  static const auto context = TlsContext::client();
  return context;
}

}  // namespace

std::string describe(const Endpoint& endpoint) {
  if (!endpoint.file.empty()) return endpoint.file.string();
  return fmt::format("{}:{}", endpoint.address, endpoint.port);
}

struct HttpClient::Connection {
  // Beast reads as many bytes as the buffer has room for. Without this, it would stay at its minimum of 512 bytes.
  Connection(Socket socket, std::uint64_t largest) : stream(std::move(socket)), largest_answer(largest) {
    buffer.reserve(kReadSize);
  }

  // The next answer.
  awaitable<std::pair<boost::system::error_code, http::response<http::string_body>>> read() {
    http::response_parser<http::string_body> parser;
    parser.body_limit(largest_answer);
    const auto [error, received] = co_await http::async_read(stream, buffer, parser, tuple);
    co_return std::pair{error, parser.release()};
  }

  Stream stream;
  std::uint64_t largest_answer;
  beast::flat_buffer buffer;
  bool used = false;  // an earlier call on it succeeded
};

HttpClient::HttpClient(asio::any_io_executor executor, Endpoint endpoint, std::uint64_t largest_answer)
    : executor_(std::move(executor)), endpoint_(std::move(endpoint)), largest_answer_(largest_answer) {}
HttpClient::~HttpClient() = default;
HttpClient::HttpClient(HttpClient&&) noexcept = default;

void HttpClient::close() {
  if (const auto connection = std::exchange(connection_, nullptr)) connection->stream.close();
}

Async<HttpResponse> HttpClient::get(std::string target, core::Millis timeout) {
  return call(Method::get, std::move(target), {}, timeout);
}

Async<HttpResponse> HttpClient::post(std::string target, std::string body, core::Millis timeout) {
  return call(Method::post, std::move(target), std::move(body), timeout);
}

Async<> HttpClient::connect(core::Millis timeout) {
  const auto deadline = core::steady_now() + timeout;
  boost::system::error_code error;
  Socket socket(executor_);
  if (endpoint_.file.empty()) {
    const auto address = asio::ip::make_address(endpoint_.address, error);
    if (error) co_return core::fail(core::Errc::usage, fmt::format("'{}' is not an address", endpoint_.address));
    std::tie(error, socket) =
        co_await connect_to_port(executor_, asio::ip::tcp::endpoint(address, endpoint_.port), timeout);
  } else {
    std::tie(error, socket) = co_await connect_to_file(executor_, endpoint_.file, timeout);
  }
  if (error) co_return core::fail(explain(error, endpoint_, "connecting to"));
  auto connection = std::make_shared<Connection>(std::move(socket), largest_answer_);
  if (!endpoint_.fingerprint.empty()) {
    connection->stream.expires_at(deadline);
    if (auto known = co_await recognise(*connection); !known) co_return known;
  }
  connection_ = std::move(connection);
  co_return core::Result<>{};
}

// Nothing is sent to a peer without the certificate's key. The handshake proves that it has the key.
Async<> HttpClient::recognise(Connection& connection) const {
  const auto error = co_await connection.stream.handshake(client_side().session());
  if (error) co_return core::fail(explain(error, endpoint_, "connecting to"));
  if (connection.stream.peer_fingerprint() == endpoint_.fingerprint) co_return core::Result<>{};
  co_return core::fail(
      {make_error_code(Errc::untrusted), fmt::format("connecting to {}: the server at this address is not the job's "
                                                     "master: it has a different certificate; nothing was sent to it",
                                                     describe(endpoint_))});
}

awaitable<boost::system::error_code> HttpClient::write(std::shared_ptr<Connection> connection, Method method,
                                                       std::string target, std::string body) const {
  http::request<http::string_body> request(method == Method::post ? http::verb::post : http::verb::get, target, 11);
  request.set(http::field::host, endpoint_.address);
  if (!endpoint_.secret.empty()) request.set(http::field::authorization, "Bearer " + endpoint_.secret);
  request.set(http::field::content_type, "application/json");
  request.body() = std::move(body);
  request.prepare_payload();
  const auto [error, sent] = co_await http::async_write(connection->stream, request, tuple);
  co_return error;
}

Async<HttpResponse> HttpClient::call(Method method, std::string target, std::string body, core::Millis timeout) {
  for (;;) {
    if (connection_ == nullptr) {
      if (auto connected = co_await connect(timeout); !connected) co_return core::fail(connected.error());
    }
    const auto connection = connection_;
    const bool reused = connection->used;
    connection->stream.expires_after(timeout);
    auto error = co_await write(connection, method, target, body);
    http::response<http::string_body> response;
    if (!error) std::tie(error, response) = co_await connection->read();
    if (error) {
      connection_.reset();
      // The server closed the idle connection at the moment we used it. It did not read the request, so sending it
      // again is safe.
      const bool stale = reused && (error == http::error::end_of_stream || error == asio::error::connection_reset ||
                                    error == asio::error::broken_pipe);
      if (stale) continue;
      co_return core::fail(explain(error, endpoint_, "asking"));
    }
    connection->used = true;
    if (!response.keep_alive()) connection_.reset();
    co_return HttpResponse{response.result_int(), std::move(response.body())};
  }
}

Async<> HttpClient::send(std::string target, std::string body, core::Millis timeout) {
  if (connection_ == nullptr) {
    if (auto connected = co_await connect(timeout); !connected) co_return connected;
  }
  const auto connection = connection_;
  connection->stream.expires_after(timeout);  // for this write only: a read that is waiting keeps its own deadline
  const auto error = co_await write(connection, Method::post, std::move(target), std::move(body));
  if (!error) co_return core::Result<>{};
  if (connection_ == connection) close();
  co_return core::fail(explain(error, endpoint_, "asking"));
}

Async<HttpResponse> HttpClient::receive(core::Millis timeout) {
  const auto connection = connection_;
  if (connection == nullptr) co_return core::fail(explain(asio::error::not_connected, endpoint_, "asking"));
  connection->stream.expires_after(timeout);
  auto [error, response] = co_await connection->read();
  if (error) {
    if (connection_ == connection) close();
    co_return core::fail(explain(error, endpoint_, "asking"));
  }
  connection->used = true;
  if (!response.keep_alive() && connection_ == connection) close();
  co_return HttpResponse{response.result_int(), std::move(response.body())};
}

}  // namespace ydl::net

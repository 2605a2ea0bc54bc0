// A connection of the server: reads a header, lets the gate decide about it, then reads the body and answers.
#include "core/log.hpp"
#include "http/call.hpp"
#include "http/server_state.hpp"

#include <boost/beast/http.hpp>

namespace ydl::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace bhttp = beast::http;

using HeaderParser = bhttp::request_parser<bhttp::empty_body>;
using BodyParser = bhttp::request_parser<bhttp::string_body>;

// Limits for reading and discarding bytes after a refusal. Unauthenticated callers get a short time.
struct Lingering {
  std::size_t bytes;
  core::Millis time;
};
constexpr Lingering kForStranger{std::size_t{64} << 10U, core::Seconds(1)};
constexpr Lingering kForCaller{std::size_t{64} << 20U, core::Seconds(5)};
// Reads are as large as the buffer of the connection. Only authenticated callers get a buffer of this size, and only
// while bytes arrive, because the calls of agents are open most of the time.
constexpr std::size_t kReadSize = std::size_t{16} << 10U;
// Also the limit of a line in a chunked body.
constexpr std::size_t kLargestBuffer = std::size_t{64} << 10U;

// Registers a connection in the server's table during its lifetime, also if it ends with an exception.
class Connection {
 public:
  Connection(StatePtr state, net::Socket socket)
      : stream(std::move(socket)), address(stream.peer()), state_(std::move(state)) {
    const auto admission = state_->admissions.admit(since);
    id_ = admission.id;
    state_->connections.emplace(id_, Server::State::Open{&stream, address});
    if (admission.dropped) drop(*admission.dropped);
  }
  ~Connection() {
    if (is_guest)
      state_->admissions.guest_left(id_);
    else
      state_->admissions.left(id_);
    state_->room_for_unauthenticated.notify();
    state_->connections.erase(id_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void showed_key() {
    if (!std::exchange(is_unauthenticated, false)) return;
    state_->admissions.showed_key(id_, core::steady_now());
    state_->room_for_unauthenticated.notify();
  }

  Stream stream;
  std::string address;
  beast::flat_buffer buffer{kLargestBuffer};
  core::Instant since = core::steady_now();
  bool is_unauthenticated = true;
  bool is_guest = false;
  bool is_keyless = false;  // KeylessCall

 private:
  void drop(ConnectionId id) {
    const auto found = state_->connections.find(id);
    if (found == state_->connections.end()) return;
    refuse(state_, found->second.address, Refusal::dropped);
    found->second.stream->close();  // ends its coroutine
  }

  StatePtr state_;
  ConnectionId id_ = 0;
};

// Memory of the budget, given back when the body is destroyed.
class BodyLease {
 public:
  BodyLease(StatePtr state, std::size_t bytes) : state_(std::move(state)), bytes_(bytes) {}
  ~BodyLease() {
    state_->bodies.give_back(bytes_);
    state_->body_left.notify();
  }
  BodyLease(const BodyLease&) = delete;
  BodyLease& operator=(const BodyLease&) = delete;

 private:
  StatePtr state_;
  std::size_t bytes_;
};

// Null if there was not enough memory in time.
net::awaitable<std::shared_ptr<void>> lease_body(StatePtr state, std::size_t bytes) {
  const auto deadline = core::steady_now() + state->options.limits.body_time;
  while (!state->bodies.take(bytes)) {
    const auto now = core::steady_now();
    if (now >= deadline || state->closed) co_return nullptr;
    co_await state->body_left.wait(deadline - now);
  }
  co_return std::make_shared<BodyLease>(state, bytes);
}

Head head_of(const HeaderParser& parser) {
  const auto& request = parser.get();
  Head head;
  head.method = request.method_string();
  head.target = request.target();
  head.authorization = request[bhttp::field::authorization];
  if (const auto length = parser.content_length()) head.content_length = *length;
  head.chunked = parser.chunked();
  return head;
}

// Closing a socket with unread bytes resets the connection, and the client may lose the answer. So bytes are read and
// discarded, up to a limit, until the client has read the answer and closes.
net::awaitable<void> linger(Connection& connection, Lingering limit) {
  connection.stream.shutdown_send();
  connection.stream.expires_after(limit.time);
  connection.buffer.clear();
  for (std::size_t thrown = 0; thrown < limit.bytes;) {
    const auto room = connection.buffer.prepare(std::size_t{4} << 10U);
    const auto [error, n] = co_await connection.stream.async_read_some(room, net::tuple);
    if (error) co_return;
    thrown += n;
  }
}

// A connection that breaks or is closed by the client is not a violation.
bool is_not_http(const boost::system::error_code& error) {
  return error.category() == bhttp::make_error_code(bhttp::error::end_of_stream).category() &&
         error != bhttp::error::end_of_stream && error != bhttp::error::partial_message;
}

// An unauthenticated connection has a single time limit for everything up to its header. An authenticated one may be
// idle between calls.
net::awaitable<boost::system::error_code> receive_header(const Limits& limits, Connection& connection,
                                                         HeaderParser& parser) {
  auto& stream = connection.stream;
  auto& buffer = connection.buffer;
  parser.header_limit(static_cast<std::uint32_t>(limits.header));
  parser.body_limit(boost::none);  // the gate checks the size
  if (connection.is_unauthenticated) {
    stream.expires_at(connection.since + limits.header_time);
  } else {
    if (buffer.size() == 0) {
      stream.expires_after(limits.idle_time);
      const auto [error, n] = co_await stream.async_read_some(buffer.prepare(kReadSize), net::tuple);
      if (error) co_return error;
      buffer.commit(n);
    }
    stream.expires_after(limits.header_time);
  }
  const auto [error, n] = co_await bhttp::async_read_header(stream, buffer, parser, net::tuple);
  co_return error;
}

// Does the TLS handshake if the server has a certificate. The time limit for the first header includes it.
net::awaitable<bool> secure(StatePtr state, Connection& connection) {
  if (!state->tls) co_return true;
  const auto& options = state->options;
  connection.stream.expires_at(connection.since + options.limits.header_time);
  auto [error, is_tls] = co_await connection.stream.begins_with_tls();
  connection.is_keyless = options.certified || (!is_tls && options.in_clear);
  if (!error && !is_tls && options.in_clear) co_return true;
  if (!error) error = co_await connection.stream.handshake(state->tls->session());
  if (error == asio::error::timed_out) refuse(state, connection.address, Refusal::no_header);
  if (net::is_tls_error(error))
    refuse(state, connection.address, options.certified ? Refusal::no_certificate : Refusal::not_tls);
  co_return !error;
}

// Handles a call that the gate has accepted. Returns false if the connection must be closed.
net::awaitable<bool> serve_accepted(StatePtr state, Connection& connection, HeaderParser& header, Accepted accepted,
                                    std::shared_ptr<ConnectionClient> client) {
  auto& stream = connection.stream;
  auto form = form_of(header.get());
  if (!accepted.guest.empty()) form.keep_alive = false;
  auto lease = co_await lease_body(state, accepted.reserve);
  if (lease == nullptr) {
    (void)co_await answer(stream, form, Response::error(503, "too many large calls at once; try again"),
                          AfterAnswer::close);
    co_await linger(connection, kForCaller);
    co_return false;
  }
  BodyParser parser(std::move(header));
  parser.body_limit(accepted.max_body);
  stream.expires_after(state->options.limits.body_time);
  const auto [error, received] = co_await bhttp::async_read(stream, connection.buffer, parser, net::tuple);
  if (error == bhttp::error::body_limit) {
    refuse(state, connection.address, Refusal::large_body);
    (void)co_await answer(stream, form, Response::error(413, "the body is too large"), AfterAnswer::close);
    co_await linger(connection, kForCaller);
    co_return false;
  }
  if (error == asio::error::timed_out) refuse(state, connection.address, Refusal::no_body);
  if (error) co_return false;
  stream.expires_never();
  if (connection.buffer.size() == 0) connection.buffer.shrink_to_fit();
  Request request;
  request.method = std::string(parser.get().method_string());
  request.path = std::move(accepted.target.path);
  request.query = std::move(accepted.target.query);
  request.captures = std::move(accepted.match.captures);
  request.wants_event_stream = form.wants_event_stream;
  request.body = std::move(parser.get().body());
  request.guest = std::move(accepted.guest);
  request.body_lease = std::move(lease);
  request.from = connection.address;
  request.client = client;
  co_return co_await answer_call(state, stream, form, *accepted.match.handler, std::move(request), std::move(client));
}

net::awaitable<bool> serve_refused(StatePtr state, Connection& connection, const HeaderParser& header, bool has_body,
                                   Refused refused) {
  if (refused.event) refuse(state, connection.address, *refused.event);
  const bool closes = has_body || refused.standing != Standing::authenticated;
  const bool goes_on =
      co_await answer(connection.stream, form_of(header.get()), Response::error(refused.status, refused.sentence),
                      closes ? AfterAnswer::close : AfterAnswer::as_requested);
  if (closes) co_await linger(connection, refused.standing == Standing::authenticated ? kForCaller : kForStranger);
  co_return goes_on;
}

net::awaitable<bool> serve_keyless(StatePtr state, Connection& connection, const HeaderParser& header) {
  const auto& options = state->options;
  const auto& request = header.get();
  auto response = (options.certified ? options.certified->answer : options.in_clear)(
      {request.method_string(), request.target(), request[bhttp::field::cookie], connection.address});
  if (response.status == 403) refuse(state, connection.address, Refusal::not_allowed);
  if (response.status == 405 && !options.certified) refuse(state, connection.address, Refusal::not_tls);
  (void)co_await answer(connection.stream, form_of(request), std::move(response), AfterAnswer::close);
  co_await linger(connection, kForStranger);
  co_return false;
}

// False: the connection has served its last call.
net::awaitable<bool> serve_call(StatePtr state, Connection& connection, std::shared_ptr<ConnectionClient> client) {
  HeaderParser header;
  if (const auto error = co_await receive_header(state->options.limits, connection, header)) {
    if (error == asio::error::timed_out) {
      if (connection.is_unauthenticated || connection.buffer.size() > 0)
        refuse(state, connection.address, Refusal::no_header);
    } else if (is_not_http(error)) {
      refuse(state, connection.address, Refusal::not_http);
    }
    co_return false;
  }
  if (connection.is_keyless) co_return co_await serve_keyless(state, connection, header);
  const auto head = head_of(header);
  auto verdict = state->gate.judge(head, state->router);
  if (const auto* accepted = std::get_if<Accepted>(&verdict)) {
    connection.is_guest = !accepted->guest.empty();
    if (!connection.is_guest) connection.showed_key();
    // The limit counts calls and not connections, because a guest's call continues for a while after its connection was
    // dropped.
    if (connection.is_guest && state->guest_calls >= state->options.limits.guest_calls) {
      (void)co_await answer(connection.stream, form_of(header.get()),
                            Response::error(503, "too many viewers are using this job now; try again"),
                            AfterAnswer::close);
      co_await linger(connection, kForStranger);
      co_return false;
    }
    const ActiveCall active(state, connection.is_guest ? ActiveCall::Of::guest : ActiveCall::Of::known);
    co_return co_await serve_accepted(state, connection, header, *accepted, std::move(client));
  }
  if (auto* refused = std::get_if<Refused>(&verdict)) {
    if (refused->standing == Standing::authenticated) connection.showed_key();
    co_return co_await serve_refused(state, connection, header, head.has_body(), std::move(*refused));
  }
  const Response greeting{200, state->options.greeting, "text/plain; charset=utf-8"};
  (void)co_await answer(connection.stream, form_of(header.get()), greeting, AfterAnswer::close);
  co_await linger(connection, kForStranger);
  co_return false;
}

}  // namespace

// An exception of one connection must not affect the others.
net::awaitable<void> serve(StatePtr state, net::Socket socket) {
  try {
    Connection connection(state, std::move(socket));
    if (!co_await secure(state, connection)) co_return;
    const auto client = std::make_shared<ConnectionClient>(connection.stream, connection.buffer);
    while (!state->closed && co_await serve_call(state, connection, client)) {
    }
  } catch (const std::exception& error) {
    core::log("closing a connection after an error: {}", error.what());
  }
}

}  // namespace ydl::http

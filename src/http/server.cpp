#include "http/server.hpp"

#include "core/log.hpp"
#include "core/strings.hpp"
#include "http/two_part_body.hpp"
#include "net/spawn.hpp"

#include <list>
#include <unordered_set>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

namespace ydl::http {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace bhttp = beast::http;
using tcp = asio::ip::tcp;

struct Server::State {
  State(asio::any_io_executor executor_, ServerOptions options_, Router router_)
      : executor(std::move(executor_)),
        options(std::move(options_)),
        router(std::move(router_)),
        acceptor(executor),
        stranger_left(executor),
        idle(executor) {}

  asio::any_io_executor executor;
  ServerOptions options;
  Router router;
  tcp::acceptor acceptor;
  std::unordered_set<beast::tcp_stream*> connections;
  struct Stranger {
    beast::tcp_stream* stream = nullptr;
    core::Instant since{};
  };
  std::list<Stranger> strangers;  // those of them that have not shown the secret, oldest first
  net::Signal stranger_left;
  core::Instant may_complain_at{};  // of strangers, in the log
  int calls_in_hand = 0;
  net::Signal idle;
  bool closed = false;
};

namespace {

using StatePtr = std::shared_ptr<Server::State>;
using StringRequest = bhttp::request<bhttp::string_body>;

using TwoPartResponse = bhttp::response<TwoPartBody>;

constexpr std::size_t kMostThrownAway = std::size_t{64} << 20U;
constexpr std::string_view kBearer = "Bearer ";
// Reads are as large as the connection's buffer, and one that starts empty stays at 512 bytes.
constexpr std::size_t kReadSize = std::size_t{16} << 10U;

bool is_authorised(const StringRequest& request, std::string_view secret) {
  const std::string_view header = request[bhttp::field::authorization];
  return header.starts_with(kBearer) && core::secret_equal(header.substr(kBearer.size()), secret);
}

unsigned status_of(const core::Error& error) {
  if (error.code == core::Errc::not_found) return 404;
  if (error.code == core::Errc::refused) return 405;
  return 400;
}

class SocketEventStream final : public EventStream {
 public:
  explicit SocketEventStream(beast::tcp_stream& stream) : stream_(stream) {}

  net::awaitable<bool> send(std::string_view id, std::string_view data) override {
    return write(fmt::format("id: {}\ndata: {}\n\n", id, data));
  }
  net::awaitable<bool> keep_alive() override { return write(":\n\n"); }

 private:
  net::awaitable<bool> write(std::string text) {
    stream_.expires_after(core::Seconds(30));
    const auto [error, written] = co_await asio::async_write(stream_, asio::buffer(text), net::tuple);
    co_return !error;
  }

  beast::tcp_stream& stream_;
};

// One connection in the server's book for as long as it is served, however that ends.
class Connection {
 public:
  Connection(StatePtr state, tcp::socket socket) : state_(std::move(state)), stream_(std::move(socket)) {
    state_->connections.insert(&stream_);
    state_->strangers.push_back({&stream_, core::steady_now()});
    as_stranger_ = std::prev(state_->strangers.end());
  }
  ~Connection() {
    end_as_stranger();
    state_->connections.erase(&stream_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] beast::tcp_stream& stream() { return stream_; }
  void showed_secret() { end_as_stranger(); }

 private:
  void end_as_stranger() {
    if (!is_stranger_) return;
    is_stranger_ = false;
    state_->strangers.erase(as_stranger_);
    state_->stranger_left.notify();
  }

  StatePtr state_;
  beast::tcp_stream stream_;
  std::list<Server::State::Stranger>::iterator as_stranger_;
  bool is_stranger_ = true;
};

// Watches a connection for more from its client while a call of it is being answered.
class ConnectionClient final : public Client, public std::enable_shared_from_this<ConnectionClient> {
 public:
  ConnectionClient(beast::tcp_stream& stream, const beast::flat_buffer& buffer) : stream_(stream), buffer_(buffer) {}

  bool has_more(std::function<void()> then) override {
    if (buffer_.size() > 0) return true;
    then_ = std::move(then);
    stream_.socket().async_wait(tcp::socket::wait_read,
                                asio::bind_cancellation_slot(unwatch_.slot(), [self = shared_from_this()](auto error) {
                                  if (!error && self->then_) std::exchange(self->then_, nullptr)();
                                }));
    return false;
  }
  void answered() {
    if (std::exchange(then_, nullptr)) unwatch_.emit(asio::cancellation_type::all);
  }

 private:
  beast::tcp_stream& stream_;
  const beast::flat_buffer& buffer_;
  std::function<void()> then_;
  asio::cancellation_signal unwatch_;
};

// One call in hand; drain() waits for it.
class CallInHand {
 public:
  explicit CallInHand(StatePtr state) : state_(std::move(state)) { ++state_->calls_in_hand; }
  ~CallInHand() {
    if (--state_->calls_in_hand == 0) state_->idle.notify();
  }
  CallInHand(const CallInHand&) = delete;
  CallInHand& operator=(const CallInHand&) = delete;

 private:
  StatePtr state_;
};

net::awaitable<Response> dispatch(StatePtr state, StringRequest& message, std::shared_ptr<Client> client) {
  if (!is_authorised(message, state->options.secret)) {
    if (message.method() == bhttp::verb::get && message.target() == "/" && !state->options.greeting.empty())
      co_return Response{200, state->options.greeting, "text/plain; charset=utf-8"};
    co_return Response::error(
        401, "this call needs the job's secret: Authorization: Bearer SECRET, from the job's master.json");
  }
  auto target = parse_target(message.target());
  if (!target) co_return Response::error(400, "the request target is malformed");
  Request request;
  request.method = std::string(message.method_string());
  request.path = std::move(target->path);
  request.query = std::move(target->query);
  request.body = std::move(message.body());
  request.client = std::move(client);
  request.wants_event_stream =
      std::string_view(message[bhttp::field::accept]).find("text/event-stream") != std::string_view::npos;
  auto match = state->router.match(request.method, request.path);
  if (!match) co_return Response::error(status_of(match.error()), match.error().message);
  request.captures = std::move(match->captures);
  try {
    co_return co_await (*match->handler)(std::move(request));
  } catch (const std::exception& error) {  // out of memory, say: this call fails, the others go on
    core::log("{} {}: {}", std::string_view(message.method_string()), std::string_view(message.target()), error.what());
  }
  co_return Response::error(500, "the master failed to answer this call; its log says why");
}

// What becomes of the connection after an answer.
enum class Then { as_asked, closes };

// False: the connection has served its last call.
net::awaitable<bool> answer(beast::tcp_stream& stream, const StringRequest& request, Response response,
                            Then then = Then::as_asked) {
  TwoPartResponse message(static_cast<bhttp::status>(response.status), request.version());
  message.set(bhttp::field::content_type, response.content_type);
  message.set(bhttp::field::cache_control, "no-store");
  message.keep_alive(then == Then::as_asked && request.keep_alive());
  message.body() = {std::move(response.body), std::move(response.shared_end)};
  message.prepare_payload();
  stream.expires_after(core::Seconds(30));
  const auto [error, written] = co_await bhttp::async_write(stream, message, net::tuple);
  co_return !error && message.keep_alive();
}

net::awaitable<void> answer_with_events(beast::tcp_stream& stream, const Response& response) {
  static constexpr std::string_view kHead =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n";
  const auto [error, written] = co_await asio::async_write(stream, asio::buffer(kHead), net::tuple);
  if (error) co_return;
  SocketEventStream events(stream);
  co_await response.stream(events);
}

// Closing with bytes unread resets the connection, and the client may lose the answer over it: so they are read and
// thrown away, up to a limit, until the client has seen it and closes.
net::awaitable<void> refuse_body(beast::tcp_stream& stream, const StringRequest& request) {
  (void)co_await answer(stream, request, Response::error(413, "the body is too large"), Then::closes);
  boost::system::error_code ignored;
  stream.socket().shutdown(tcp::socket::shutdown_send, ignored);
  stream.expires_after(core::Seconds(5));
  std::vector<char> rest(std::size_t{64} << 10U);
  for (std::size_t thrown = 0; thrown < kMostThrownAway;) {
    const auto [error, n] = co_await stream.async_read_some(asio::buffer(rest), net::tuple);
    if (error) co_return;
    thrown += n;
  }
}

// False: the connection has served its last call.
net::awaitable<bool> answer_call(StatePtr state, beast::tcp_stream& stream, StringRequest& request,
                                 std::shared_ptr<ConnectionClient> client) {
  auto response = co_await dispatch(state, request, client);
  client->answered();
  if (response.stream) {
    co_await answer_with_events(stream, response);
    co_return false;
  }
  co_return co_await answer(stream, request, std::move(response));
}

net::awaitable<void> serve_calls(StatePtr state, Connection& connection) {
  auto& stream = connection.stream();
  beast::flat_buffer buffer;
  buffer.reserve(kReadSize);
  const auto client = std::make_shared<ConnectionClient>(stream, buffer);
  while (!state->closed) {
    bhttp::request_parser<bhttp::string_body> parser;
    parser.body_limit(state->options.max_body);
    parser.header_limit(16 * 1024);
    stream.expires_after(state->options.idle_timeout);
    const auto [error, received] = co_await bhttp::async_read(stream, buffer, parser, net::tuple);
    if (error == bhttp::error::body_limit) {
      co_await refuse_body(stream, parser.get());
      break;
    }
    if (error) break;  // closed, idle for too long, or not HTTP: nobody to tell
    stream.expires_never();
    if (is_authorised(parser.get(), state->options.secret)) connection.showed_secret();
    const CallInHand in_hand(state);
    if (!co_await answer_call(state, stream, parser.get(), client)) break;
  }
}

void close_oldest_stranger(Server::State& state) {
  static constexpr std::string_view kRefusal =
      "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
      R"({"error":"too many connections that have not shown the job's secret"})";
  auto& oldest = *state.strangers.front().stream;
  state.strangers.front().since = core::steady_now();
  state.strangers.splice(state.strangers.end(), state.strangers, state.strangers.begin());  // the next one's turn
  boost::system::error_code ignored;
  oldest.socket().non_blocking(true, ignored);
  oldest.socket().write_some(asio::buffer(kRefusal), ignored);
  oldest.socket().shutdown(tcp::socket::shutdown_both, ignored);
  oldest.cancel();  // its coroutine ends, and closes it
  if (core::steady_now() < state.may_complain_at) return;
  state.may_complain_at = core::steady_now() + core::Seconds(60);
  core::log("{} connections have not shown the job's secret: the oldest are closed", state.strangers.size());
}

// Whatever one connection leads to, the others are served.
net::awaitable<void> serve(StatePtr state, tcp::socket socket) {
  boost::system::error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  Connection connection(state, std::move(socket));
  try {
    co_await serve_calls(state, connection);
  } catch (const std::exception& error) {
    core::log("a connection is closed: {}", error.what());
  }
}

// A caller with the secret shows it as soon as it is connected, and is then no stranger any more.
net::awaitable<void> make_room_for_stranger(StatePtr state) {
  while (!state->closed && state->strangers.size() >= state->options.max_strangers) {
    const auto patience_ends = state->strangers.front().since + state->options.stranger_patience;
    const auto now = core::steady_now();
    if (now >= patience_ends) co_return close_oldest_stranger(*state);
    co_await state->stranger_left.wait(patience_ends - now);
  }
}

net::awaitable<void> accept_loop(StatePtr state) {
  bool complained = false;
  while (!state->closed) {
    co_await make_room_for_stranger(state);
    auto [error, socket] = co_await state->acceptor.async_accept(net::tuple);
    if (!state->acceptor.is_open()) break;
    if (error) {  // out of file descriptors, say: wait for some to come back instead of spinning
      if (!std::exchange(complained, true)) core::log("accepting a connection: {}", error.message());
      co_await net::pause(core::Millis(100));
      continue;
    }
    complained = false;
    net::spawn(state->executor, "serving a connection", serve(state, std::move(socket)));
  }
}

}  // namespace

Server::Server(asio::any_io_executor executor, ServerOptions options, Router router)
    : state_(std::make_shared<State>(std::move(executor), std::move(options), std::move(router))) {}

Server::~Server() {
  close();
}

core::Result<void> Server::listen() {
  boost::system::error_code error;
  const auto refuse = [&] {
    const auto& options = state_->options;
    return core::fail(core::Errc::io,
                      fmt::format("cannot listen on {}:{}{}: {}", options.address, options.port,
                                  options.last_port > options.port
                                      ? fmt::format(" to {}: choose others with --port-range", options.last_port)
                                      : "",
                                  error.message()));
  };
  const auto address = asio::ip::make_address(state_->options.address, error);
  if (error) return refuse();
  auto& acceptor = state_->acceptor;
  acceptor.open(address.is_v6() ? tcp::v6() : tcp::v4(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (error) return refuse();
  const int last = std::max(state_->options.port, state_->options.last_port);
  for (int port = state_->options.port; port <= last; ++port) {
    acceptor.bind({address, static_cast<std::uint16_t>(port)}, error);
    if (error != asio::error::address_in_use) break;
  }
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return refuse();
  net::spawn(state_->executor, "accepting connections", accept_loop(state_));
  return {};
}

void Server::route(Router router) {
  state_->router = std::move(router);
}

std::uint16_t Server::port() const {
  boost::system::error_code error;
  return state_->acceptor.local_endpoint(error).port();
}

std::size_t Server::connections() const {
  return state_->connections.size();
}

net::awaitable<void> Server::drain(core::Millis at_most) {
  boost::system::error_code ignored;
  state_->acceptor.close(ignored);
  const auto deadline = core::steady_now() + at_most;
  while (state_->calls_in_hand > 0 && core::steady_now() < deadline)
    co_await state_->idle.wait(deadline - core::steady_now());
}

void Server::close() {
  if (std::exchange(state_->closed, true)) return;
  boost::system::error_code ignored;
  state_->acceptor.close(ignored);
  state_->stranger_left.notify();
  for (auto* stream : state_->connections) stream->cancel();
}

}  // namespace ydl::http

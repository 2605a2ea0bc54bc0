#include "hrpc/client.hpp"

#include "core/assert.hpp"
#include "core/strings.hpp"
#include "hrpc/connection.hpp"
#include "hrpc/errors.hpp"
#include "hrpc/retry_policy.hpp"
#include "hrpc/sasl/gssapi.hpp"
#include "net/spawn.hpp"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ydl::hrpc {

namespace asio = net::asio;

namespace {

// Call ids must not be negative: negative ids are special frames (message_codec.hpp).
constexpr std::uint32_t kCallIdMask = 0x7fffffff;

core::Error closed() {
  return {make_error_code(core::Errc::cancelled), "the client was closed"};
}

// Adds the number of attempts to the error, so that the user knows how much was tried.
core::Error after_attempts(core::Error error, int attempts, std::string_view why) {
  if (attempts > 1) error.message += fmt::format(" (after {} attempts: {})", attempts, why);
  return error;
}

}  // namespace

// The state is shared with calls in flight, so it may outlive the client.
struct Client::State : std::enable_shared_from_this<State> {
  State(asio::any_io_executor executor_, ClientOptions options_)
      : executor(std::move(executor_)), options(std::move(options_)), closing(executor) {}

  // A connection to one of the servers. Calls that need it while it is being opened wait for `opened`.
  struct Link {
    Link(const asio::any_io_executor& executor, std::size_t server_, ConnectionOptions connection_options)
        : server(server_),
          connection(std::make_shared<Connection>(executor, std::move(connection_options))),
          opened(executor) {}
    std::size_t server;
    std::shared_ptr<Connection> connection;
    std::optional<core::Result<>> result;
    net::Signal opened;
  };

  struct Call {
    CallId id;
    Method method;
    std::string request;
    std::optional<core::Millis> at_most;
    std::optional<core::Instant> deadline;
    [[nodiscard]] core::Millis left(core::Millis limit) const {
      return deadline ? std::min(limit, *deadline - core::steady_now()) : limit;
    }
  };
  struct Attempt {
    std::size_t server;
    Progress progress;
    core::Result<std::string> answer;
  };

  [[nodiscard]] std::shared_ptr<Link> current_link(std::string_view protocol);
  static net::awaitable<void> open(std::shared_ptr<Link> opening);
  net::awaitable<Attempt> attempt(const Call& call, int retry);
  static net::Async<std::string> run(std::shared_ptr<State> state, Call call);
  [[nodiscard]] ConnectionOptions connection_options(std::string_view protocol) const;
  [[nodiscard]] static core::Error too_late(std::optional<core::Error> last, const Call& call, int attempts);
  [[nodiscard]] double chance() { return std::uniform_real_distribution<double>(0.0, 1.0)(random); }
  void leave(std::size_t server_left);
  void close();

  asio::any_io_executor executor;
  ClientOptions options;
  ClientId client = random_client_id();
  std::uint32_t last_call = 0;
  std::size_t server = 0;  // index of the server in use
  std::shared_ptr<Link> link;
  // connections to servers no longer in use, on which calls may still wait
  std::vector<std::weak_ptr<Connection>> left;
  net::Signal closing;
  bool is_closed = false;
  std::minstd_rand random{std::random_device{}()};
};

ConnectionOptions Client::State::connection_options(std::string_view protocol) const {
  return {.server = options.servers[server],
          .session = {.client = client,
                      .handshake = {.identity = options.identity,
                                    .server_host = options.servers[server].host,
                                    .kerberos = sasl::make_gssapi},
                      .protocol = std::string(protocol),
                      .max_response = options.max_response},
          .connect_timeout = options.connect_timeout,
          .ping_interval = options.ping_interval,
          .idle_close = options.idle_close};
}

// The link that is open or being opened, or else a new one.
std::shared_ptr<Client::State::Link> Client::State::current_link(std::string_view protocol) {
  if (link && link->connection->alive()) return link;
  link = std::make_shared<Link>(executor, server, connection_options(protocol));
  net::spawn(executor, "opening an RPC connection", open(link));
  return link;
}

net::awaitable<void> Client::State::open(std::shared_ptr<Link> opening) {
  opening->result = co_await opening->connection->open();
  opening->opened.notify();
}

net::awaitable<Client::State::Attempt> Client::State::attempt(const Call& call, int retry) {
  const auto mine = current_link(call.method.protocol);
  Attempt attempt{mine->server, Progress::not_sent, {}};
  if (!mine->result) co_await mine->opened.wait(call.left(options.connect_timeout));
  if (!mine->result) {
    attempt.answer =
        core::fail(Errc::timed_out, fmt::format("{}: no connection in time", to_string(options.servers[mine->server])));
  } else if (!*mine->result) {
    attempt.answer = core::fail(mine->result->error());
  } else if (!mine->connection->alive()) {
    attempt.answer = core::fail(*mine->connection->failure());
  } else {
    attempt.progress = Progress::sent;
    attempt.answer =
        co_await mine->connection->call({call.id, retry}, call.method, call.request, call.left(options.call_timeout));
  }
  co_return attempt;
}

// Several calls may fail on the same server; only the first of them must switch to the next server.
void Client::State::leave(std::size_t server_left) {
  if (server != server_left) return;
  server = (server + 1) % options.servers.size();
  if (!link) return;
  std::erase_if(left, [](const auto& connection) { return connection.expired(); });
  left.push_back(link->connection);
  link->connection->retire();
  link.reset();
}

void Client::State::close() {
  if (std::exchange(is_closed, true)) return;
  if (link) {
    link->connection->close(closed());
    if (!link->result) link->result = core::fail(closed());
    link->opened.notify();
    link.reset();
  }
  for (const auto& connection : left) {
    if (const auto alive = connection.lock()) alive->close(closed());
  }
  closing.notify();
}

core::Error Client::State::too_late(std::optional<core::Error> last, const Call& call, int attempts) {
  if (last) return after_attempts(*std::move(last), attempts, "the time limit of the call is reached");
  return {Errc::timed_out,
          fmt::format("no answer to {} within {}", call.method.name, core::format_duration(*call.at_most))};
}

net::Async<std::string> Client::State::run(std::shared_ptr<State> state, Call call) {
  Attempts attempts{.repeat = call.method.repeat, .servers = state->options.servers.size()};
  std::optional<core::Error> last;
  const auto begun = core::steady_now();
  for (int retry = 0;; ++retry) {
    if (state->is_closed) co_return core::fail(closed());
    if (call.left(core::Millis(1)) <= core::Millis(0)) co_return core::fail(too_late(std::move(last), call, retry));
    auto attempt = co_await state->attempt(call, retry);
    if (attempt.answer) co_return std::move(attempt.answer);
    if (state->is_closed) co_return core::fail(closed());

    last = std::move(attempt.answer).error();
    attempts.spent = core::steady_now() - begun;
    const auto decision = decide(*last, attempt.progress, attempts, state->options.retry, state->chance());
    if (decision.action == Decision::Action::give_up) {
      co_return core::fail(after_attempts(*std::move(last), retry + 1, decision.why));
    }
    if (decision.action == Decision::Action::next_server) {
      ++attempts.failovers;
      state->leave(attempt.server);
    } else {
      ++attempts.retries;
    }
    if (decision.delay > core::Millis(0)) co_await state->closing.wait(call.left(decision.delay));
  }
}

Client::Client(asio::any_io_executor executor, ClientOptions options)
    : state_(std::make_shared<State>(std::move(executor), std::move(options))) {
  const std::size_t servers = state_->options.servers.size();
  YDL_ASSERT(servers > 0);
  if (state_->options.random_first) state_->server = state_->random() % servers;
}

Client::~Client() {
  close();
}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&& other) noexcept {
  close();
  state_ = std::move(other.state_);
  return *this;
}

net::Async<std::string> Client::call_bytes(Method method, std::string request, std::optional<core::Millis> at_most) {
  const CallId id{static_cast<std::int32_t>(state_->last_call++ & kCallIdMask)};
  const auto deadline = at_most ? std::optional(core::steady_now() + *at_most) : std::nullopt;
  return State::run(state_, {id, method, std::move(request), at_most, deadline});
}

void Client::close() {
  if (state_) state_->close();
}

core::Error Client::unreadable_answer(const Method& method) {
  return {Errc::corrupt,
          fmt::format(
              "the server's answer to {} cannot be decoded; probably the server runs an incompatible version of Hadoop",
              method.name)};
}

}  // namespace ydl::hrpc

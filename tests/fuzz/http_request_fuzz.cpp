// All bytes of a client to the master's server, on a real connection: the server answers or closes, and a client
// without the key can make no call.
#include "core/assert.hpp"
#include "http/server_state.hpp"
#include "net/spawn.hpp"

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>

namespace {

namespace asio = ydl::net::asio;
using namespace ydl::http;

constexpr std::string_view kKey = "0123456789abcdef";

struct Fixture {
  asio::io_context context{1};
  int calls = 0;
};

Router make_router(Fixture& fixture) {
  Router router;
  const auto count = [&fixture](Request request) -> ydl::net::awaitable<Response> {
    ++fixture.calls;
    co_return Response::json(std::move(request.body));
  };
  router.add("GET", "/v1/job", count);
  router.add("GET", "/v1/tasks/{task}/logs", count);
  router.add("POST", "/v1/agents/{id}/exchange", count, {64, "id"});
  return router;
}

ydl::net::Socket connected(asio::io_context& context, std::string_view bytes) {
  std::array<int, 2> ends{};
  YDL_ASSERT(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) == 0);
  (void)!::write(ends[0], bytes.data(), bytes.size());
  ::shutdown(ends[0], SHUT_WR);
  // The server reads the end of the stream. Answering a client that has closed the connection fails, which the server
  // must handle.
  ::close(ends[0]);
  ydl::net::Socket socket(context);
  socket.assign(asio::generic::stream_protocol(AF_UNIX, 0), ends[1]);
  return socket;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool ignored = ::signal(SIGPIPE, SIG_IGN) != SIG_ERR;
  if (!ignored || size > (std::size_t{64} << 10U)) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Fixture fixture;
  ServerOptions options;
  options.secret = kKey;
  options.key_of = [](std::string_view id) { return "key of " + std::string(id); };
  const auto state =
      std::make_shared<Server::State>(fixture.context.get_executor(), std::move(options), make_router(fixture));
  ydl::net::spawn(fixture.context.get_executor(), "serving a connection",
                  serve(state, connected(fixture.context, bytes)));
  fixture.context.run_for(ydl::core::Seconds(5));
  YDL_ASSERT(state->connections.empty());  // nothing more can arrive
  if (fixture.calls > 0) YDL_ASSERT(bytes.find(kKey) != bytes.npos || bytes.find("key of ") != bytes.npos);
  state->closed = true;
  state->tell_timer.cancel();
  fixture.context.restart();
  fixture.context.run_for(ydl::core::Seconds(5));
  return 0;
}

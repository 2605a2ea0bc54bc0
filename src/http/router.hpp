#pragma once

#include "net/asio.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ydl::http {

// The client of a call that is being answered.
class Client {
 public:
  virtual ~Client() = default;
  // For calls that wait before they answer. Returns true if the client has already sent its next call on the same
  // connection or has closed it; then the call should answer immediately. Otherwise `then` is called when this happens,
  // at most once and never after the answer.
  [[nodiscard]] virtual bool has_more(std::function<void()> then) = 0;
};

struct Request {
  std::string method;  // GET, POST
  std::string path;    // percent-decoded, without the query
  std::map<std::string, std::string> query;
  std::map<std::string, std::string> captures;  // the values for {name} in the pattern
  std::string body;
  std::string guest = {};           // the calling guest; empty for the owner and for agents
  bool wants_event_stream = false;  // Accept: text/event-stream
  std::string from;                 // the caller's address, or "this machine"
  std::shared_ptr<Client> client = nullptr;
  std::shared_ptr<void> body_lease = nullptr;  // keeps the body's part of the shared memory budget

  // Frees the body. A call that waits should not hold its memory.
  void drop_body() {
    body = {};
    body_lease.reset();
  }
};

// Writes server-sent events until the client disconnects or the coroutine returns.
class EventStream {
 public:
  virtual ~EventStream() = default;
  // Returns false if the client has disconnected.
  [[nodiscard]] virtual net::awaitable<bool> send(std::string_view id, std::string_view data) = 0;
  // Sends a comment, so that proxies do not close a silent connection. Returns false if the client has disconnected.
  [[nodiscard]] virtual net::awaitable<bool> keep_alive() = 0;
};

struct Response {
  unsigned status = 200;
  std::string body;
  std::string content_type = "application/json";
  // If set, the answer is an event stream that this coroutine writes.
  std::function<net::awaitable<void>(EventStream&)> stream = nullptr;
  // If set, it is sent after the body. Many answers can share it, so that it is in memory only once.
  std::shared_ptr<const std::string> shared_end = nullptr;
  std::string location = {};  // target of a redirection

  [[nodiscard]] static Response json(std::string body) { return {200, std::move(body)}; }
  [[nodiscard]] static Response error(unsigned status, std::string_view sentence);
};

using Handler = std::function<net::awaitable<Response>(Request)>;

// The default limit of a body.
inline constexpr std::size_t kSmallBody = std::size_t{4} << 10U;

// The guests who may make a call (gate.hpp): none, all, or those who may modify the job.
enum class OpenTo { no_guests, viewers, modifiers };

struct RouteOptions {
  std::size_t max_body = kSmallBody;
  // The name in braces of an agent whose own key is also valid for the call; empty: only the owner's key is valid.
  std::string key_of = {};
  OpenTo open_to = OpenTo::no_guests;
};

// Maps method and path to a handler. Patterns are literal except for segments in braces, which match any one segment.
class Router {
 public:
  void add(std::string method, std::string_view pattern, Handler handler, RouteOptions options = {});

  struct Match {
    const Handler* handler = nullptr;
    std::map<std::string, std::string> captures;
    RouteOptions options;
  };
  // Errors: not_found for an unknown path, refused for a method that the path does not accept.
  [[nodiscard]] core::Result<Match> match(std::string_view method, std::string_view path) const;

 private:
  struct Route {
    std::string method;
    std::vector<std::string> segments;
    Handler handler;
    RouteOptions options;
  };
  std::vector<Route> routes_;
};

// Path and query of a request target, percent-decoded. Nothing if it is malformed.
struct Target {
  std::string path;
  std::map<std::string, std::string> query;
};
[[nodiscard]] std::optional<Target> parse_target(std::string_view target);

}  // namespace ydl::http

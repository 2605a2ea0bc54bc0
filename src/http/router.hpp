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
  // For a call that lets its client wait. True: the client has sent its next call already, on the same connection, or
  // has closed it, and this one should be answered now. False: `then` is called when that happens, at most once and
  // never after the answer.
  [[nodiscard]] virtual bool has_more(std::function<void()> then) = 0;
};

struct Request {
  std::string method;  // GET, POST
  std::string path;    // decoded, without the query
  std::map<std::string, std::string> query;
  std::map<std::string, std::string> captures;  // what stood for {name} in the pattern
  std::string body;
  std::string guest = {};           // who asks, where it is neither the owner nor an agent
  bool wants_event_stream = false;  // Accept: text/event-stream
  std::string from;                 // the caller's address, or words for a process of this machine
  std::shared_ptr<Client> client = nullptr;
  std::shared_ptr<void> body_lease = nullptr;  // the body's part of the memory that all bodies share

  // A call that waits does so without its body.
  void drop_body() {
    body = {};
    body_lease.reset();
  }
};

// Writes server-sent events until the client goes away or the coroutine returns.
class EventStream {
 public:
  virtual ~EventStream() = default;
  // False: the client is gone.
  [[nodiscard]] virtual net::awaitable<bool> send(std::string_view id, std::string_view data) = 0;
  // A comment, so that nobody on the way takes the silence for the end. False: the client is gone.
  [[nodiscard]] virtual net::awaitable<bool> keep_alive() = 0;
};

struct Response {
  unsigned status = 200;
  std::string body;
  std::string content_type = "application/json";
  // Set: the answer is an event stream that this coroutine feeds.
  std::function<net::awaitable<void>(EventStream&)> stream = nullptr;
  // Set: it follows the body. Many answers at a time can end with it, and memory holds it once.
  std::shared_ptr<const std::string> shared_end = nullptr;
  std::string location = {};  // of a redirection

  [[nodiscard]] static Response json(std::string body) { return {200, std::move(body)}; }
  [[nodiscard]] static Response error(unsigned status, std::string_view sentence);
};

using Handler = std::function<net::awaitable<Response>(Request)>;

// What a call may carry where nothing else is said.
inline constexpr std::size_t kSmallBody = std::size_t{4} << 10U;

// Which guests a call is open to (gate.hpp): none, all, or those who may change the job.
enum class OpenTo { no_guests, viewers, modifiers };

struct RouteOptions {
  std::size_t max_body = kSmallBody;
  // The name in braces whose own key opens the call, as the owner's does; empty: only the owner's does.
  std::string key_of = {};
  OpenTo open_to = OpenTo::no_guests;
};

// Maps method and path to a handler. Patterns are literal but for segments in braces, which match one segment.
class Router {
 public:
  void add(std::string method, std::string_view pattern, Handler handler, RouteOptions options = {});

  struct Match {
    const Handler* handler = nullptr;
    std::map<std::string, std::string> captures;
    RouteOptions options;
  };
  // Errors: not_found for a path nobody has, refused for a method the path does not take.
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

// Path and query of a request target, percent-decoded. Nothing on a malformed one.
struct Target {
  std::string path;
  std::map<std::string, std::string> query;
};
[[nodiscard]] std::optional<Target> parse_target(std::string_view target);

}  // namespace ydl::http

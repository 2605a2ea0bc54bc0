#pragma once

#include "core/clock.hpp"
#include "net/asio.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace ydl::net {

// The address of a master, the fingerprint of its certificate, and the secret for every call. Other servers have
// neither fingerprint nor secret.
struct Endpoint {
  std::string address;  // numeric
  std::uint16_t port = 0;
  std::string secret;
  std::string fingerprint = {};     // of the only certificate to accept, over TLS; empty: plain HTTP
  std::filesystem::path file = {};  // not empty: a Unix socket, used instead of address and port
  std::int64_t epoch = 1;           // counts the masters of a job: a master that takes over the job has a higher number

  bool operator==(const Endpoint&) const = default;
};
// For people: "10.0.0.7:39691", or the file.
[[nodiscard]] std::string describe(const Endpoint& endpoint);

struct HttpResponse {
  unsigned status = 0;
  std::string body;
};

// One keep-alive connection to a master. If the server closed it between two calls, it is opened again automatically.
// get() and post() handle one call at a time; use send() and receive() for several calls at once.
class HttpClient {
 public:
  static constexpr std::uint64_t kLargestAnswer = 64ULL << 20U;

  HttpClient(asio::any_io_executor executor, Endpoint endpoint, std::uint64_t largest_answer = kLargestAnswer);
  ~HttpClient();
  HttpClient(HttpClient&&) noexcept;

  // Errors: unavailable (no connection), timeout, corrupt (not HTTP, or larger than the largest answer), and
  // Errc::untrusted (the certificate is not the master's; nothing was sent).
  [[nodiscard]] Async<HttpResponse> get(std::string target, core::Millis timeout);
  [[nodiscard]] Async<HttpResponse> post(std::string target, std::string body, core::Millis timeout);

  // A POST whose answer is returned by receive(). Answers arrive in the order of the calls, and the next call may be
  // sent before the previous one is answered. One coroutine sends and another one receives. After an error of either,
  // all unanswered calls are lost, and the next call opens a new connection. Errors: as above.
  [[nodiscard]] Async<> send(std::string target, std::string body, core::Millis timeout);
  [[nodiscard]] Async<HttpResponse> receive(core::Millis timeout);

  // Waiting calls of send() and receive() fail.
  void close();

 private:
  struct Connection;
  enum class Method { get, post };

  [[nodiscard]] Async<HttpResponse> call(Method method, std::string target, std::string body, core::Millis timeout);
  [[nodiscard]] Async<> connect(core::Millis timeout);
  [[nodiscard]] Async<> recognise(Connection& connection) const;
  [[nodiscard]] awaitable<boost::system::error_code> write(std::shared_ptr<Connection> connection, Method method,
                                                           std::string target, std::string body) const;

  asio::any_io_executor executor_;
  Endpoint endpoint_;
  std::uint64_t largest_answer_;
  std::shared_ptr<Connection> connection_;
};

}  // namespace ydl::net

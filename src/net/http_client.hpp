#pragma once

#include "core/clock.hpp"
#include "net/asio.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace ydl::net {

// Where a master listens, how it is known, and what it wants to see on every call. Other servers have neither
// fingerprint nor secret.
struct Endpoint {
  std::string address;  // numeric
  std::uint16_t port = 0;
  std::string secret;
  std::string fingerprint = {};     // of its certificate: TLS, and with nobody else; empty: plain HTTP
  std::filesystem::path file = {};  // set: a Unix socket of this machine, and address and port mean nothing
  std::int64_t epoch = 1;           // which master of its job it is: those that take the job over have higher ones

  bool operator==(const Endpoint&) const = default;
};
// For people: "10.0.0.7:39691", or the file.
[[nodiscard]] std::string describe(const Endpoint& endpoint);

struct HttpResponse {
  unsigned status = 0;
  std::string body;
};

// One keep-alive connection to a master. A connection that the server closed between two calls is opened again without
// a word. get() and post() come one after the other; several calls at a time are made with send() and receive().
class HttpClient {
 public:
  static constexpr std::uint64_t kLargestAnswer = 64ULL << 20U;

  HttpClient(asio::any_io_executor executor, Endpoint endpoint, std::uint64_t largest_answer = kLargestAnswer);
  ~HttpClient();
  HttpClient(HttpClient&&) noexcept;

  // Errors: unavailable (nobody answers there), timeout, corrupt (no HTTP, or more than the largest answer), and
  // Errc::untrusted (it has another certificate than the master, and was sent nothing).
  [[nodiscard]] Async<HttpResponse> get(std::string target, core::Millis timeout);
  [[nodiscard]] Async<HttpResponse> post(std::string target, std::string body, core::Millis timeout);

  // A POST whose answer comes from receive(): answers come in the order of the calls, and the next call may be sent
  // before the last is answered. One coroutine sends and another receives. After an error, of either, all calls that
  // are not answered are lost and the next one opens a connection. Errors: as above.
  [[nodiscard]] Async<> send(std::string target, std::string body, core::Millis timeout);
  [[nodiscard]] Async<HttpResponse> receive(core::Millis timeout);

  // What waits in send() and receive() fails.
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

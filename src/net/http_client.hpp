#pragma once

#include "core/clock.hpp"
#include "net/asio.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ydl::net {

// Where a master listens, and what it wants to see on every call; other servers want nothing.
struct Endpoint {
  std::string address;  // numeric
  std::uint16_t port = 0;
  std::string secret;
};

struct HttpResponse {
  unsigned status = 0;
  std::string body;
};

// One keep-alive connection to a master. Calls come one after the other; who wants two at a time has two clients.
// A connection that the server closed between two calls is opened again without a word.
class HttpClient {
 public:
  HttpClient(asio::any_io_executor executor, Endpoint endpoint);
  ~HttpClient();
  HttpClient(HttpClient&&) noexcept;

  // Errors: unavailable (nobody answers there), timeout, corrupt (what answers does not speak HTTP).
  [[nodiscard]] Async<HttpResponse> get(std::string target, core::Millis timeout);
  [[nodiscard]] Async<HttpResponse> post(std::string target, std::string body, core::Millis timeout);

  void close();

 private:
  struct Connection;

  [[nodiscard]] Async<HttpResponse> call(bool is_post, std::string target, std::string body, core::Millis timeout);
  [[nodiscard]] Async<> connect(core::Millis timeout);

  asio::any_io_executor executor_;
  Endpoint endpoint_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace ydl::net

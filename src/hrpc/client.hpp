#pragma once

#include "core/assert.hpp"
#include "hrpc/method.hpp"
#include "hrpc/options.hpp"
#include "net/asio.hpp"

#include <google/protobuf/message_lite.h>
#include <memory>
#include <optional>
#include <string>

namespace ydl::hrpc {

// Calls one logical service: a NameNode or an HA group of them, a ResourceManager, or a NodeManager.
//
// Any number of calls can be in flight, all on one connection. The first call opens it; it is closed when idle, and
// opened again to the same or the next server, as the retry policy decides. Client id and call ids do not change with
// retries and failover, so that a server can recognise a repeated call. A client is for one protocol and one thread:
// use it from coroutines of its executor. If it is destroyed with calls in flight, they fail with
// core::Errc::cancelled.
class Client {
 public:
  Client(net::asio::any_io_executor executor, ClientOptions options);
  ~Client();
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;

  // The request is serialised before the function returns. `at_most` limits the whole call including retries; without
  // it only the timeouts and attempts in the options are limits. Errors: those of hrpc/errors.hpp, with the remote
  // exception if the server threw one.
  template <class Response>
  [[nodiscard]] net::Async<Response> call(const Method& method, const google::protobuf::MessageLite& request,
                                          std::optional<core::Millis> at_most = std::nullopt) {
    YDL_ASSERT(request.IsInitialized());
    return parse<Response>(call_bytes(method, request.SerializeAsString(), at_most), method);
  }

  // The same with serialised messages.
  [[nodiscard]] net::Async<std::string> call_bytes(Method method, std::string request,
                                                   std::optional<core::Millis> at_most = std::nullopt);

  // Fails every call in flight with core::Errc::cancelled; further calls fail the same way.
  void close();

 private:
  struct State;

  template <class Response>
  static net::Async<Response> parse(net::Async<std::string> bytes, Method method) {
    auto answer = co_await std::move(bytes);
    if (!answer) co_return core::fail(std::move(answer).error());
    Response response;
    // Not ParseFromString(), because it prints missing fields to standard error.
    if (!response.ParsePartialFromString(*answer) || !response.IsInitialized())
      co_return core::fail(unreadable_answer(method));
    co_return response;
  }
  [[nodiscard]] static core::Error unreadable_answer(const Method& method);

  std::shared_ptr<State> state_;
};

}  // namespace ydl::hrpc

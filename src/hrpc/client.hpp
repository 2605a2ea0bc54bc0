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

// Calls to one logical service: one NameNode or an HA group, one ResourceManager, one NodeManager.
//
// Any number of calls are in flight at a time, all on one connection, which is opened by the first call, closed when
// idle, and opened again, on the same server or on the next one, as the retry policy says. Client id and call ids are
// the same over retries and failover. A client serves one protocol and belongs to one thread: call it from coroutines
// of its executor. It may be destroyed with calls in flight: they end with core::Errc::cancelled.
class Client {
 public:
  Client(net::asio::any_io_executor executor, ClientOptions options);
  ~Client();
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;

  // The request is serialised before the function returns. `at_most` bounds everything, retries included; without it
  // the options' timeouts and attempts do.
  // Errors: those of hrpc/errors.hpp, with the remote exception where the server threw one.
  template <class Response>
  [[nodiscard]] net::Async<Response> call(const Method& method, const google::protobuf::MessageLite& request,
                                          std::optional<core::Millis> at_most = std::nullopt) {
    YDL_ASSERT(request.IsInitialized());
    return parse<Response>(call_bytes(method, request.SerializeAsString(), at_most), method);
  }

  // The same with the messages as bytes.
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
    // Not the plain ParseFromString, which writes to standard error.
    if (!response.ParsePartialFromString(*answer) || !response.IsInitialized())
      co_return core::fail(unreadable_answer(method));
    co_return response;
  }
  [[nodiscard]] static core::Error unreadable_answer(const Method& method);

  std::shared_ptr<State> state_;
};

}  // namespace ydl::hrpc

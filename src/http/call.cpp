#include "http/call.hpp"

#include "core/log.hpp"
#include "http/two_part_body.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

namespace ydl::http {

namespace {

constexpr core::Millis kWriteTime = core::Seconds(30);

class SocketEventStream final : public EventStream {
 public:
  explicit SocketEventStream(Stream& stream) : stream_(stream) {}

  net::awaitable<bool> send(std::string_view id, std::string_view data) override {
    return write(fmt::format("id: {}\ndata: {}\n\n", id, data));
  }
  net::awaitable<bool> keep_alive() override { return write(":\n\n"); }

 private:
  net::awaitable<bool> write(std::string text) {
    stream_.expires_after(kWriteTime);
    const auto [error, written] = co_await asio::async_write(stream_, asio::buffer(text), net::tuple);
    co_return !error;
  }

  Stream& stream_;
};

net::awaitable<void> answer_with_events(Stream& stream, const Response& response) {
  static constexpr std::string_view kHead =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n";
  const auto [error, written] = co_await asio::async_write(stream, asio::buffer(kHead), net::tuple);
  if (error) co_return;
  SocketEventStream events(stream);
  co_await response.stream(events);
}

net::awaitable<Response> run_handler(const Handler& handler, Request request) {
  const auto name = fmt::format("{} {}", request.method, request.path);
  try {
    co_return co_await handler(std::move(request));
  } catch (const std::exception& error) {  // for example out of memory: only this call fails
    core::log("{}: {}", name, error.what());
  }
  co_return Response::error(500, "the master failed to answer this call; its log says why");
}

}  // namespace

AnswerForm form_of(const bhttp::request<bhttp::empty_body>& request) {
  return {request.version(), request.keep_alive(),
          std::string_view(request[bhttp::field::accept]).find("text/event-stream") != std::string_view::npos};
}

bool ConnectionClient::has_more(std::function<void()> then) {
  if (buffer_.size() > 0 || stream_.has_buffered()) return true;
  then_ = std::move(then);
  stream_.socket().async_wait(net::Socket::wait_read,
                              asio::bind_cancellation_slot(unwatch_.slot(), [self = shared_from_this()](auto error) {
                                if (!error && self->then_) std::exchange(self->then_, nullptr)();
                              }));
  return false;
}

void ConnectionClient::answered() {
  if (std::exchange(then_, nullptr)) unwatch_.emit(asio::cancellation_type::all);
}

net::awaitable<bool> answer(Stream& stream, AnswerForm form, Response response, AfterAnswer then) {
  bhttp::response<TwoPartBody> message(static_cast<bhttp::status>(response.status), form.version);
  message.set(bhttp::field::content_type, response.content_type);
  message.set(bhttp::field::cache_control, "no-store");
  if (!response.location.empty()) message.set(bhttp::field::location, response.location);
  message.keep_alive(then == AfterAnswer::as_requested && form.keep_alive);
  message.body() = {std::move(response.body), std::move(response.shared_end)};
  message.prepare_payload();
  stream.expires_after(kWriteTime);
  const auto [error, written] = co_await bhttp::async_write(stream, message, net::tuple);
  co_return !error && message.keep_alive();
}

net::awaitable<bool> answer_call(StatePtr state, Stream& stream, AnswerForm form, const Handler& handler,
                                 Request request, std::shared_ptr<ConnectionClient> client) {
  auto response = co_await run_handler(handler, std::move(request));
  client->answered();
  if (response.stream) {
    co_await answer_with_events(stream, response);
    co_return false;
  }
  co_return co_await answer(stream, form, std::move(response));
}

}  // namespace ydl::http

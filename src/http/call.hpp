#pragma once

#include "http/server_state.hpp"

#include <boost/asio/cancellation_signal.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>

// Answering a call.
namespace ydl::http {

// The properties of a request that determine the form of its answer.
struct AnswerForm {
  unsigned version = 11;
  bool keep_alive = false;
  bool wants_event_stream = false;
};
[[nodiscard]] AnswerForm form_of(const boost::beast::http::request<boost::beast::http::empty_body>& request);

// What happens to the connection after an answer.
enum class AfterAnswer { as_requested, close };

// Counts a call as active, so that drain() waits for it.
class ActiveCall {
 public:
  enum class Of { known, guest };

  ActiveCall(StatePtr state, Of whom) : state_(std::move(state)), whom_(whom) {
    ++state_->active_calls;
    if (whom_ == Of::guest) ++state_->guest_calls;
  }
  ~ActiveCall() {
    if (whom_ == Of::guest) --state_->guest_calls;
    if (--state_->active_calls == 0) state_->idle.notify();
  }
  ActiveCall(const ActiveCall&) = delete;
  ActiveCall& operator=(const ActiveCall&) = delete;

 private:
  StatePtr state_;
  Of whom_;
};

// Watches a connection for further bytes from its client while a call is being answered.
class ConnectionClient final : public Client, public std::enable_shared_from_this<ConnectionClient> {
 public:
  ConnectionClient(Stream& stream, const boost::beast::flat_buffer& buffer) : stream_(stream), buffer_(buffer) {}

  bool has_more(std::function<void()> then) override;
  void answered();

 private:
  Stream& stream_;
  const boost::beast::flat_buffer& buffer_;
  std::function<void()> then_;
  net::asio::cancellation_signal unwatch_;
};

// Returns false if the connection must be closed.
[[nodiscard]] net::awaitable<bool> answer(Stream& stream, AnswerForm form, Response response,
                                          AfterAnswer then = AfterAnswer::as_requested);
// The same with the answer of a handler.
[[nodiscard]] net::awaitable<bool> answer_call(StatePtr state, Stream& stream, AnswerForm form, const Handler& handler,
                                               Request request, std::shared_ptr<ConnectionClient> client);

}  // namespace ydl::http

#pragma once

#include "http/server_state.hpp"

#include <boost/asio/cancellation_signal.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>

// How one call is answered.
namespace ydl::http {

// What of a request decides the form of its answer.
struct AnswerForm {
  unsigned version = 11;
  bool keep_alive = false;
  bool wants_event_stream = false;
};
[[nodiscard]] AnswerForm form_of(const boost::beast::http::request<boost::beast::http::empty_body>& request);

// What becomes of the connection after an answer.
enum class Then { as_asked, closes };

// One call in hand; drain() waits for it.
class CallInHand {
 public:
  enum class Of { known, guest };

  CallInHand(StatePtr state, Of whom) : state_(std::move(state)), whom_(whom) {
    ++state_->calls_in_hand;
    if (whom_ == Of::guest) ++state_->guest_calls;
  }
  ~CallInHand() {
    if (whom_ == Of::guest) --state_->guest_calls;
    if (--state_->calls_in_hand == 0) state_->idle.notify();
  }
  CallInHand(const CallInHand&) = delete;
  CallInHand& operator=(const CallInHand&) = delete;

 private:
  StatePtr state_;
  Of whom_;
};

// Watches a connection for more from its client while a call of it is being answered.
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

// False: the connection has served its last call.
[[nodiscard]] net::awaitable<bool> answer(Stream& stream, AnswerForm form, Response response,
                                          Then then = Then::as_asked);
// The same for a call whose answer is the handler's.
[[nodiscard]] net::awaitable<bool> answer_call(StatePtr state, Stream& stream, AnswerForm form, const Handler& handler,
                                               Request request, std::shared_ptr<ConnectionClient> client);

}  // namespace ydl::http

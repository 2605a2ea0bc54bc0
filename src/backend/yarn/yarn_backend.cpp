#include "backend/yarn/yarn_backend.hpp"

#include "backend/yarn/yarn_state.hpp"
#include "net/spawn.hpp"

namespace ydl::backend {

YarnBackend::YarnBackend(net::asio::any_io_executor executor, protocol::Hub& hub, Sink sink, YarnOptions options)
    : state_(std::make_shared<State>(std::move(executor), hub, std::move(sink), std::move(options))) {}

YarnBackend::~YarnBackend() {
  state_->closed = true;
}

net::Async<> YarnBackend::open() {
  auto registered = co_await state_->register_master();
  if (registered) net::spawn(state_->executor, "sending heartbeats to the ResourceManager", heartbeats(state_));
  co_return registered;
}

void YarnBackend::place(protocol::Prepare request) {
  state_->want(std::move(request));
}

void YarnBackend::launch(protocol::Launch request) {
  if (const auto* held = state_->book.find(request.attempt))
    state_->hub.send(agent_of(held->container.id), std::move(request));
}

void YarnBackend::stop(protocol::Stop request) {
  const auto* held = state_->book.find(request.attempt);
  if (held == nullptr) return;
  if (held->phase == Phase::starting) {  // nothing runs that could have a grace
    state_->give_up(request.attempt);
    state_->tell(job::Lost{request.attempt, "it was stopped before it had started", job::Cause::stopped});
    return;
  }
  state_->hub.send(agent_of(held->container.id), std::move(request));
}

void YarnBackend::release(const core::AttemptId& attempt) {
  state_->give_up(attempt);
}

net::awaitable<void> YarnBackend::close(const job::Outcome& outcome) {
  auto state = state_;
  state->closed = true;
  state->news.notify();
  co_await state->end(outcome);
}

}  // namespace ydl::backend

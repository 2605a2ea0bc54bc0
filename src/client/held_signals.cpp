#include "client/held_signals.hpp"

#include <array>
#include <sys/signalfd.h>
#include <unistd.h>
#include <utility>

#include <boost/asio/posix/stream_descriptor.hpp>

namespace ydl::client {
namespace {

constexpr std::array kHeld{SIGINT, SIGTERM, SIGHUP};

bool is_ignored(int number) {
  struct sigaction action{};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

int open_signals() {
  sigset_t wanted;
  ::sigemptyset(&wanted);
  for (const int number : handled_signals()) ::sigaddset(&wanted, number);
  return ::signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC);
}

}  // namespace

std::vector<int> handled_signals() {
  std::vector<int> numbers(kHeld.begin(), kHeld.end());
  std::erase_if(numbers, is_ignored);
  return numbers;
}

HeldSignals::HeldSignals() {
  sigset_t held;
  ::sigemptyset(&held);
  for (const int number : kHeld) ::sigaddset(&held, number);
  ::sigprocmask(SIG_BLOCK, &held, &before_);
}

HeldSignals::HeldSignals(HeldSignals&& other) noexcept
    : before_(other.before_), holds_(std::exchange(other.holds_, false)) {}

void HeldSignals::release() noexcept {
  if (std::exchange(holds_, false)) ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

struct Interruption::State : std::enable_shared_from_this<State> {
  State(const net::asio::any_io_executor& executor, Reactions wanted)
      : descriptor(executor, open_signals()), reactions(std::move(wanted)) {}

  void wait() {
    descriptor.async_wait(net::asio::posix::stream_descriptor::wait_read,
                          [self = shared_from_this()](const boost::system::error_code& error) {
                            if (error || self->ended) return;
                            self->take();
                            self->wait();
                          });
  }

  // The signal is read here and not by the loop, because end() could be called between the two.
  void take() {
    signalfd_siginfo info{};
    if (::read(descriptor.native_handle(), &info, sizeof info) != sizeof info) return;
    (source.request_stop() ? reactions.first : reactions.second)();
  }

  net::asio::posix::stream_descriptor descriptor;
  Reactions reactions;
  std::stop_source source;
  bool ended = false;
};

Interruption::Interruption(const net::asio::any_io_executor& executor, Reactions reactions)
    : state_(std::make_shared<State>(executor, std::move(reactions))) {
  state_->wait();
}

std::stop_token Interruption::token() const {
  return state_->source.get_token();
}

void Interruption::end() {
  state_->ended = true;
  state_->descriptor.cancel();
}

}  // namespace ydl::client

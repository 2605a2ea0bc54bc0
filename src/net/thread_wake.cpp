#include "net/thread_wake.hpp"

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

namespace ydl::net {

ThreadWake::ThreadWake() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!descriptor_) throw std::system_error(errno, std::generic_category(), "cannot wait for a thread (eventfd)");
}

void ThreadWake::finish() {
  done_ = true;
  const std::uint64_t one = 1;
  (void)!::write(descriptor_.get(), &one, sizeof one);
}

awaitable<bool> ThreadWake::wait(core::Millis at_most) {
  const auto executor = co_await asio::this_coro::executor;
  asio::posix::stream_descriptor descriptor(executor, ::fcntl(descriptor_.get(), F_DUPFD_CLOEXEC, 0));
  asio::steady_timer deadline(executor, at_most);
  using asio::experimental::awaitable_operators::operator||;
  (void)co_await (descriptor.async_wait(asio::posix::stream_descriptor::wait_read, tuple) ||
                  deadline.async_wait(tuple));
  co_return done_;
}

}  // namespace ydl::net

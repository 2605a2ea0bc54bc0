#include "net/in_thread.hpp"

#include "core/assert.hpp"
#include "core/files.hpp"

#include <atomic>
#include <cstdint>
#include <fcntl.h>
#include <memory>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

namespace ydl::net {
namespace {

// What thread and coroutine share. The thread wakes the loop through the descriptor, never through the loop's own
// objects: those may be gone when it is done.
struct Shared {
  std::function<void()> work;
  core::UniqueFd wake{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::atomic<bool> done = false;
};

void run(const std::shared_ptr<Shared>& shared) {
  shared->work();
  shared->work = nullptr;
  shared->done = true;
  const std::uint64_t one = 1;
  (void)!::write(shared->wake.get(), &one, sizeof one);
}

}  // namespace

awaitable<bool> in_thread(std::function<void()> work, core::Millis at_most) {
  auto shared = std::make_shared<Shared>();
  YDL_ASSERT(shared->wake.get() >= 0);
  shared->work = std::move(work);
  const auto executor = co_await asio::this_coro::executor;
  asio::posix::stream_descriptor descriptor(executor, ::fcntl(shared->wake.get(), F_DUPFD_CLOEXEC, 0));
  asio::steady_timer deadline(executor, at_most);
  std::thread(run, shared).detach();
  using asio::experimental::awaitable_operators::operator||;
  (void)co_await (descriptor.async_wait(asio::posix::stream_descriptor::wait_read, tuple) ||
                  deadline.async_wait(tuple));
  co_return shared->done;
}

}  // namespace ydl::net

#include "net/in_thread.hpp"

#include "net/thread_wake.hpp"

#include <exception>
#include <memory>
#include <thread>

namespace ydl::net {
namespace {

struct Shared {
  std::function<void()> work;
  std::exception_ptr thrown;  // the coroutine reads it only after `wake`
  ThreadWake wake;
};

void run(const std::shared_ptr<Shared>& shared) {
  try {
    shared->work();
  } catch (...) {
    shared->thrown = std::current_exception();
  }
  shared->work = nullptr;
  shared->wake.finish();
}

}  // namespace

awaitable<bool> in_thread(std::function<void()> work, core::Millis at_most) {
  auto shared = std::make_shared<Shared>();
  shared->work = std::move(work);
  std::thread(run, shared).detach();
  const bool done = co_await shared->wake.wait(at_most);
  if (done && shared->thrown) std::rethrow_exception(shared->thrown);
  co_return done;
}

}  // namespace ydl::net

#include "net/in_thread.hpp"

#include "net/thread_wake.hpp"

#include <memory>
#include <thread>

namespace ydl::net {
namespace {

struct Shared {
  std::function<void()> work;
  ThreadWake wake;
};

void run(const std::shared_ptr<Shared>& shared) {
  shared->work();
  shared->work = nullptr;
  shared->wake.finish();
}

}  // namespace

awaitable<bool> in_thread(std::function<void()> work, core::Millis at_most) {
  auto shared = std::make_shared<Shared>();
  shared->work = std::move(work);
  std::thread(run, shared).detach();
  co_return co_await shared->wake.wait(at_most);
}

}  // namespace ydl::net

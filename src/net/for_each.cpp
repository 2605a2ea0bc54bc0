#include "net/for_each.hpp"

#include "net/spawn.hpp"

#include <algorithm>
#include <memory>
#include <optional>

namespace ydl::net {
namespace {

struct Works {
  std::size_t count;
  std::function<Async<>(std::size_t)> work;
  Signal ended;
  std::size_t next = 0;
  std::size_t workers = 0;
  std::optional<core::Error> failure = std::nullopt;
};

awaitable<void> do_some(std::shared_ptr<Works> works) {
  while (works->next < works->count && !works->failure) {
    const auto done = co_await works->work(works->next++);
    if (!done && !works->failure) works->failure = done.error();
  }
  if (--works->workers == 0) works->ended.notify();
}

}  // namespace

Async<> for_each(std::size_t count, std::size_t at_a_time, std::function<Async<>(std::size_t)> work) {
  const auto executor = co_await asio::this_coro::executor;
  auto works = std::make_shared<Works>(count, std::move(work), Signal(executor));
  works->workers = std::min(count, at_a_time);
  for (std::size_t i = works->workers; i > 0; --i) net::spawn(executor, "a worker", do_some(works));
  while (works->workers > 0) co_await works->ended.wait(core::Seconds(3600));
  if (works->failure) co_return core::fail(*works->failure);
  co_return core::Result<>{};
}

}  // namespace ydl::net

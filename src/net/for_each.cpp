#include "net/for_each.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>

namespace ydl::net {
namespace {

struct Works {
  std::size_t count;
  std::function<Async<>(std::size_t)> work;
  std::size_t next = 0;
  std::optional<core::Error> failure = std::nullopt;
};

awaitable<void> do_some(std::shared_ptr<Works> works) {
  while (works->next < works->count && !works->failure) {
    const auto done = co_await works->work(works->next++);
    if (!done && !works->failure) works->failure = done.error();
  }
}

}  // namespace

Async<> for_each(std::size_t count, std::size_t at_a_time, std::function<Async<>(std::size_t)> work) {
  const auto executor = co_await asio::this_coro::executor;
  const auto works = std::make_shared<Works>(count, std::move(work));
  const auto begin = [&] { return asio::co_spawn(executor, do_some(works), asio::deferred); };
  std::vector<decltype(begin())> workers;
  for (std::size_t i = std::min(count, at_a_time); i > 0; --i) workers.push_back(begin());
  if (workers.empty()) co_return core::Result<>{};
  // The group forwards a cancellation to its members, and ends when its last member has ended.
  const auto [order, exceptions] = co_await asio::experimental::make_parallel_group(std::move(workers))
                                       .async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
  for (const auto& exception : exceptions) {
    if (exception) std::rethrow_exception(exception);
  }
  if (works->failure) co_return core::fail(*works->failure);
  co_return core::Result<>{};
}

}  // namespace ydl::net

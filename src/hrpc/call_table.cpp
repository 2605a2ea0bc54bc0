#include "hrpc/call_table.hpp"

#include "core/assert.hpp"

#include <utility>

namespace ydl::hrpc {

void CallTable::add(CallId id, Waiter waiter) {
  const bool is_new = waiters_.emplace(id, std::move(waiter)).second;
  YDL_ASSERT(is_new);
}

void CallTable::finish(CallId id, core::Result<std::string> result) {
  auto node = waiters_.extract(id);
  if (!node.empty()) node.mapped()(std::move(result));
}

void CallTable::fail_all(const core::Error& why) {
  const auto waiters = std::exchange(waiters_, {});
  for (const auto& [id, waiter] : waiters) waiter(core::fail(why));
}

}  // namespace ydl::hrpc

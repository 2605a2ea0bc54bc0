#pragma once

#include "core/result.hpp"
#include "hrpc/message_codec.hpp"

#include <functional>
#include <string>
#include <unordered_map>

namespace ydl::hrpc {

// The callers that wait for answers. Each waiter is called at most once: with its answer or with the error that ended
// the connection. After forget() it is not called.
class CallTable {
 public:
  using Waiter = std::function<void(core::Result<std::string>)>;

  void add(CallId id, Waiter waiter);
  // An answer without a waiter is dropped, because its caller has given up.
  void finish(CallId id, core::Result<std::string> result);
  void forget(CallId id) { waiters_.erase(id); }
  // Waiters may call add() and forget(): the table is already empty when the first one is called.
  void fail_all(const core::Error& why);

  [[nodiscard]] std::size_t size() const { return waiters_.size(); }
  [[nodiscard]] bool empty() const { return waiters_.empty(); }

 private:
  std::unordered_map<CallId, Waiter> waiters_;
};

}  // namespace ydl::hrpc

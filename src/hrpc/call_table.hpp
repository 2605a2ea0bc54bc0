#pragma once

#include "core/result.hpp"
#include "hrpc/message_codec.hpp"

#include <functional>
#include <string>
#include <unordered_map>

namespace ydl::hrpc {

// Who waits for which answer. Each is told exactly once: by its answer, by the end of the connection, or not at all
// when it has stopped waiting.
class CallTable {
 public:
  using Waiter = std::function<void(core::Result<std::string>)>;

  void add(CallId id, Waiter waiter);
  // The answer to a call nobody waits for any more is dropped: it gave up before.
  void finish(CallId id, core::Result<std::string> result);
  void forget(CallId id) { waiters_.erase(id); }
  // A waiter may add calls or forget others: they are not in the table any more when the first is told.
  void fail_all(const core::Error& why);

  [[nodiscard]] std::size_t size() const { return waiters_.size(); }
  [[nodiscard]] bool empty() const { return waiters_.empty(); }

 private:
  std::unordered_map<CallId, Waiter> waiters_;
};

}  // namespace ydl::hrpc

#pragma once

#include "net/asio.hpp"

#include <cstddef>
#include <functional>

namespace ydl::net {

// Runs work(0) … work(count - 1), at most `at_a_time` of them at once. After a failure no new work is started; the
// first failure is returned when the running work has ended. A cancelled caller also continues only after the running
// work has ended, so `work` may refer to objects of the caller.
[[nodiscard]] Async<> for_each(std::size_t count, std::size_t at_a_time, std::function<Async<>(std::size_t)> work);

}  // namespace ydl::net

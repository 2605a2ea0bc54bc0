#pragma once

#include "net/asio.hpp"

#include <cstddef>
#include <functional>

namespace ydl::net {

// Does work(0) … work(count - 1), `at_a_time` of them at once. After a failure nothing new is begun; the first failure
// comes back when what was begun has ended. A caller that is cancelled goes on only after the work it began has ended,
// so `work` may refer to what the caller owns.
[[nodiscard]] Async<> for_each(std::size_t count, std::size_t at_a_time, std::function<Async<>(std::size_t)> work);

}  // namespace ydl::net

#include "net/spawn.hpp"

#include <exception>
#include <string>

#include <fmt/format.h>

namespace ydl::net {
namespace {

std::string describe(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception of an unknown type";
  }
}

}  // namespace

void spawn(const asio::any_io_executor& executor, const char* name, awaitable<void> work) {
  asio::co_spawn(executor, std::move(work), [name](const std::exception_ptr& thrown) {
    if (!thrown) return;
    throw BackgroundFailure(fmt::format("{} failed: {}", name, describe(thrown)));
  });
}

void run_loop(asio::io_context& context, const std::function<void(const BackgroundFailure&)>& failed) {
  try {
    context.run();
    return;
  } catch (const BackgroundFailure& failure) {
    context.restart();  // needed if the loop has no other work and has therefore stopped
    failed(failure);
  }
  context.run();
}

}  // namespace ydl::net

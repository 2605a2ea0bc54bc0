#pragma once

#include "hconf/load.hpp"
#include "net/asio.hpp"

#include <cstdio>
#include <string>

#include <boost/asio/detached.hpp>
#include <fmt/format.h>

// Shared by tools that do one thing with a cluster and print each result on a line.
namespace ydl::test {

inline void say(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

// `work(executor, config)` is a coroutine with a Result. Returns the program's exit code.
template <class Work>
int run_tool(Work work) {
  const auto search = hconf::find_configuration();
  const auto config = search.found ? hconf::load(*search.found) : core::fail(core::Errc::not_found, "no configuration");
  if (!config) {
    say(config.error().message);
    return 2;
  }
  net::asio::io_context context(1);
  int code = 1;
  net::asio::co_spawn(
      context,
      [&]() -> net::awaitable<void> {
        const auto done = co_await work(context.get_executor(), *config);
        if (!done) say("error: " + done.error().message);
        code = done ? 0 : 1;
      },
      net::asio::detached);
  context.run();
  return code;
}

}  // namespace ydl::test

// The target of an HTTP request: for any bytes the parser returns, and the router finds a route or an error.
#include "core/assert.hpp"
#include "http/router.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace {

ydl::net::awaitable<ydl::http::Response> say_nothing(ydl::http::Request) {
  co_return ydl::http::Response{};
}

ydl::http::Router make_router() {
  ydl::http::Router router;
  router.add("GET", "/v1/job", say_nothing);
  router.add("GET", "/v1/tasks/{task}/logs", say_nothing);
  router.add("POST", "/v1/agents/{id}/exchange", say_nothing);
  return router;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto router = make_router();
  const auto target = ydl::http::parse_target({reinterpret_cast<const char*>(data), size});
  if (!target) return 0;
  YDL_ASSERT(target->path.empty() || target->path.front() == '/');
  const auto match = router.match("GET", target->path);
  if (match) {
    for (const auto& [name, value] : match->captures) YDL_ASSERT(value.find('/') == std::string::npos);
  } else {
    YDL_ASSERT(!match.error().message.empty());
  }
  return 0;
}

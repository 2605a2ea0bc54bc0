#include "http/gate.hpp"

#include "core/strings.hpp"

#include <fmt/format.h>

namespace ydl::http {
namespace {

constexpr std::string_view kBearer = "Bearer ";

unsigned status_of(const core::Error& error) {
  if (error.code == core::Errc::not_found) return 404;
  if (error.code == core::Errc::refused) return 405;
  return 400;
}

}  // namespace

Verdict Gate::judge(const Head& head, const Router& router) const {
  const bool has_key = head.authorization.starts_with(kBearer);
  if (!has_key || !core::secret_equal(head.authorization.substr(kBearer.size()), secret)) {
    if (greets && head.method == "GET" && head.target == "/") return Greeted{};
    return Refused{401, "this call needs the job's secret: Authorization: Bearer SECRET, from the job's master.json",
                   Standing::stranger, has_key ? Refusal::wrong_key : Refusal::no_key};
  }
  auto target = parse_target(head.target);
  if (!target) return Refused{400, "the request target is malformed", Standing::known};
  auto match = router.match(head.method, target->path);
  if (!match) return Refused{status_of(match.error()), match.error().message, Standing::known};
  const auto limit = match->max_body;
  if (head.content_length.value_or(0) > limit) {
    return Refused{413, fmt::format("the body is too large: this call takes {}", core::format_bytes(limit)),
                   Standing::known, Refusal::large_body};
  }
  const auto reserve = head.chunked ? limit : static_cast<std::size_t>(head.content_length.value_or(0));
  return Accepted{*std::move(match), *std::move(target), limit, reserve};
}

}  // namespace ydl::http

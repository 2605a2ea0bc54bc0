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

bool is_open_to(OpenTo who, const Guest& guest) {
  return who == OpenTo::viewers || (who == OpenTo::modifiers && guest.may_modify);
}

}  // namespace

bool Gate::opens(std::string_view key, const core::Result<Router::Match>& match) const {
  if (core::secret_equal(key, owner_key)) return true;
  if (!match || match->options.key_of.empty() || !key_of) return false;
  return core::secret_equal(key, key_of(match->captures.at(match->options.key_of)));
}

std::optional<Guest> Gate::find_guest(std::string_view key) const {
  auto guest = guest_of && !key.empty() ? guest_of(key) : std::nullopt;
  if (guest && guest->user.empty()) guest.reset();  // a guest must have a name, because an empty name means the owner
  return guest;
}

Verdict Gate::judge(const Head& head, const Router& router) const {
  const bool has_key = head.authorization.starts_with(kBearer);
  const auto key = has_key ? head.authorization.substr(kBearer.size()) : std::string_view();
  auto target = parse_target(head.target);
  auto match = target ? router.match(head.method, target->path)
                      : core::fail(core::Errc::usage, "the request target is malformed");
  std::optional<Guest> guest;
  auto standing = Standing::authenticated;
  if (!has_key || !opens(key, match)) {
    guest = find_guest(key);
    standing = Standing::guest;
  }
  if (standing == Standing::guest && !guest) {
    if (greets && head.method == "GET" && head.target == "/") return Greeted{};
    return Refused{401, "this call needs the job's secret: Authorization: Bearer SECRET, from the job's master.json",
                   Standing::unauthenticated, has_key ? Refusal::wrong_key : Refusal::no_key};
  }
  if (!match) return Refused{status_of(match.error()), match.error().message, standing};
  if (guest && !is_open_to(match->options.open_to, *guest)) {
    if (match->options.open_to == OpenTo::no_guests)
      return Refused{403, "this call is only for the job's own processes", standing, Refusal::not_allowed};
    return Refused{403,
                   fmt::format("{} may see this job, but not make this call: 'modify' of the job's ACL must name {}",
                               guest->user, guest->user),
                   standing, Refusal::not_allowed};
  }
  const auto limit = match->options.max_body;
  if (head.content_length.value_or(0) > limit) {
    return Refused{413, fmt::format("the body is too large: this call accepts at most {}", core::format_bytes(limit)),
                   standing, Refusal::large_body};
  }
  const auto reserve = head.chunked ? limit : static_cast<std::size_t>(head.content_length.value_or(0));
  return Accepted{*std::move(match), *std::move(target), limit, reserve, guest ? guest->user : ""};
}

}  // namespace ydl::http

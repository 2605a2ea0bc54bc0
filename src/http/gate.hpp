#pragma once

#include "http/refusals.hpp"
#include "http/router.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

// Decides from its header alone whether a call is accepted, before its body is read. Pure.
namespace ydl::http {

struct Head {
  std::string_view method;
  std::string_view target;
  std::string_view authorization;
  std::optional<std::uint64_t> content_length = std::nullopt;
  bool chunked = false;

  [[nodiscard]] bool has_body() const { return chunked || content_length.value_or(0) > 0; }
};

// The kind of a caller, by its key. There may be many guests, so their connections count as unauthenticated and serve
// only one call.
enum class Standing { unauthenticated, guest, authenticated };

// A user other than the owner who may view the job.
struct Guest {
  std::string user;
  bool may_modify = false;
};

struct Accepted {
  Router::Match match;
  Target target;
  std::size_t max_body = 0;
  // bytes to take from the budget of bodies: the announced size, or else the limit of the call
  std::size_t reserve = 0;
  std::string guest = {};  // the calling guest; empty: the owner or an agent
};
struct Refused {
  unsigned status = 0;
  std::string sentence;
  Standing standing = Standing::unauthenticated;
  std::optional<Refusal> event = std::nullopt;  // to be reported to the owner
};
struct Greeted {};  // answer for a browser without a key at "/"
using Verdict = std::variant<Accepted, Refused, Greeted>;

struct Gate {
  std::string owner_key;                                     // valid for every call
  std::function<std::string(std::string_view)> key_of = {};  // the key of the agent in a route: RouteOptions::key_of
  bool greets = false;
  std::function<std::optional<Guest>(std::string_view)> guest_of = {};  // the guest to whom a key belongs, if any

  // A caller without a valid key does not learn which paths exist or what a call accepts.
  [[nodiscard]] Verdict judge(const Head& head, const Router& router) const;

 private:
  [[nodiscard]] bool opens(std::string_view key, const core::Result<Router::Match>& match) const;
  [[nodiscard]] std::optional<Guest> find_guest(std::string_view key) const;
};

}  // namespace ydl::http

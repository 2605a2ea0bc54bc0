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

// What becomes of a call is decided by its header alone, before anything of its body is read. Pure.
namespace ydl::http {

struct Head {
  std::string_view method;
  std::string_view target;
  std::string_view authorization;
  std::optional<std::uint64_t> content_length = std::nullopt;
  bool chunked = false;

  [[nodiscard]] bool has_body() const { return chunked || content_length.value_or(0) > 0; }
};

// Who a caller is, by its key. Guests may be many: their connections count as those of strangers and serve one call.
enum class Standing { stranger, guest, known };

// Somebody else than the owner whom the owner lets see the job.
struct Guest {
  std::string user;
  bool may_modify = false;
};

struct Accepted {
  Router::Match match;
  Target target;
  std::size_t max_body = 0;
  std::size_t reserve = 0;  // bytes of the budget of bodies: what the caller announced, or else the most it may send
  std::string guest = {};   // who asks; empty: the owner or an agent
};
struct Refused {
  unsigned status = 0;
  std::string sentence;
  Standing standing = Standing::stranger;
  std::optional<Refusal> event = std::nullopt;  // what the owner is told of it
};
struct Greeted {};  // a browser without a key at "/"
using Verdict = std::variant<Accepted, Refused, Greeted>;

struct Gate {
  std::string owner_key;                                     // opens every call
  std::function<std::string(std::string_view)> key_of = {};  // of the one that a route names: RouteOptions::key_of
  bool greets = false;
  std::function<std::optional<Guest>(std::string_view)> guest_of = {};  // whose key it is, if a guest's

  // A caller without a right key learns neither what paths there are nor what a call may carry.
  [[nodiscard]] Verdict judge(const Head& head, const Router& router) const;

 private:
  [[nodiscard]] bool opens(std::string_view key, const core::Result<Router::Match>& match) const;
  [[nodiscard]] std::optional<Guest> find_guest(std::string_view key) const;
};

}  // namespace ydl::http

#include "hrpc/sasl/digest_challenge.hpp"

#include "core/strings.hpp"
#include "hrpc/errors.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

namespace ydl::hrpc::sasl {
namespace {

struct Directive {
  std::string name;
  std::string value;
};

// Longer than any real challenge.
constexpr std::size_t kMaxChallenge = 4096;

// Removes name=token or name="quoted, with \" in it" from the front of `rest` and returns it.
std::optional<Directive> take_directive(std::string_view& rest) {
  const auto equals = rest.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  Directive directive{std::string(core::trim(rest.substr(0, equals))), {}};
  rest.remove_prefix(equals + 1);
  if (directive.name.empty()) return std::nullopt;
  if (!rest.starts_with('"')) {
    const auto end = std::min(rest.find(','), rest.size());
    directive.value = core::trim(rest.substr(0, end));
    rest.remove_prefix(end);
    return directive;
  }
  rest.remove_prefix(1);
  while (!rest.empty() && rest.front() != '"') {
    if (rest.front() == '\\') rest.remove_prefix(1);
    if (rest.empty()) return std::nullopt;
    directive.value.push_back(rest.front());
    rest.remove_prefix(1);
  }
  if (rest.empty()) return std::nullopt;
  rest.remove_prefix(1);
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  return directive;
}

core::Error not_a_challenge(std::string_view text) {
  return {Errc::corrupt,
          fmt::format("the server's DIGEST-MD5 message cannot be decoded: '{}'", core::printable(text.substr(0, 200)))};
}

core::Result<std::vector<Directive>> parse_directives(std::string_view text) {
  if (text.size() > kMaxChallenge) return core::fail(not_a_challenge(text));
  std::vector<Directive> directives;
  std::string_view rest = core::trim(text);
  while (!rest.empty()) {
    if (rest.front() == ',') {
      rest = core::trim(rest.substr(1));
      continue;
    }
    auto directive = take_directive(rest);
    if (!directive || !(rest.empty() || rest.front() == ',')) return core::fail(not_a_challenge(text));
    directives.push_back(*std::move(directive));
  }
  return directives;
}

std::vector<std::string> words(std::string_view list) {
  std::vector<std::string> found;
  for (const auto word : core::split(list, ',')) {
    if (const auto trimmed = core::trim(word); !trimmed.empty()) found.emplace_back(trimmed);
  }
  return found;
}

}  // namespace

core::Result<DigestChallenge> parse_challenge(std::string_view text) {
  const auto directives = parse_directives(text);
  if (!directives) return core::fail(directives.error());
  DigestChallenge challenge;
  bool has_realm = false;
  std::string_view algorithm;
  for (const auto& [name, value] : *directives) {
    if (name == "realm" && !std::exchange(has_realm, true)) challenge.realm = value;
    if (name == "nonce") challenge.nonce = value;
    if (name == "qop") challenge.qops = words(value);
    if (name == "cipher") challenge.ciphers = words(value);
    if (name == "algorithm") algorithm = value;
    if (name == "maxbuf") {
      const auto number = core::parse_int<std::uint32_t>(value);
      if (!number || *number < 64) return core::fail(not_a_challenge(text));
      challenge.max_buffer = *number;
    }
  }
  if (challenge.nonce.empty() || algorithm != "md5-sess") return core::fail(not_a_challenge(text));
  if (challenge.qops.empty()) challenge.qops = {"auth"};
  return challenge;
}

core::Result<std::string> parse_rspauth(std::string_view text) {
  auto directives = parse_directives(text);
  if (!directives) return core::fail(directives.error());
  for (auto& [name, value] : *directives) {
    if (name == "rspauth") return std::move(value);
  }
  return core::fail(not_a_challenge(text));
}

}  // namespace ydl::hrpc::sasl

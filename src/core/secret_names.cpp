#include "core/secret_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace ydl::core {
namespace {

constexpr auto kWords =
    std::to_array<std::string_view>({"AUTH", "CREDENTIAL", "CREDENTIALS", "CREDS", "KEY", "PASS", "PASSPHRASE",
                                     "PASSWD", "PASSWORD", "PRIVATE", "PWD", "SECRET", "SECRETS", "TOKEN"});
// These also count at the end of a longer word: DBPASSWORD, AUTHTOKEN. KEY is not among them, because many English
// words end in it (MONKEY).
constexpr auto kEndings =
    std::to_array<std::string_view>({"APIKEY", "CREDENTIALS", "PASSPHRASE", "PASSWD", "PASSWORD", "SECRET", "TOKEN"});
constexpr std::string_view kHidden = "…";

bool is_secret_word(std::string_view part) {
  return std::ranges::find(kWords, part) != kWords.end() ||
         std::ranges::any_of(kEndings, [part](std::string_view ending) { return part.ends_with(ending); });
}

// "postgres://user:password@host/…"
bool has_password(std::string_view value) {
  const auto scheme = value.find("://");
  if (scheme == std::string_view::npos) return false;
  const auto authority = value.substr(scheme + 3, value.find_first_of("/?# ", scheme + 3) - (scheme + 3));
  const auto at = authority.rfind('@');
  return at != std::string_view::npos && authority.substr(0, at).find(':') != std::string_view::npos;
}

}  // namespace

bool looks_secret(std::string_view variable) {
  if (variable == "PWD") return false;  // the shell's working directory
  std::string part;
  for (const char c : variable) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      part += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      continue;
    }
    if (is_secret_word(part)) return true;
    part.clear();
  }
  return is_secret_word(part);
}

std::string shown_value(std::string_view variable, const std::string& value) {
  const bool hidden = !value.empty() && (looks_secret(variable) || has_password(value));
  return hidden ? std::string(kHidden) : value;
}

}  // namespace ydl::core

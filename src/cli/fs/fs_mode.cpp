#include "cli/fs/fs_mode.hpp"

#include "core/strings.hpp"

#include <charconv>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

std::unexpected<core::Error> bad(std::string_view text) {
  return core::fail(core::Errc::usage,
                    fmt::format("'{}' is not a valid mode; write for example 640, u+x or go-w", core::printable(text)));
}

// One clause: classes of users, operator, permissions.
core::Result<std::uint32_t> apply_clause(std::string_view clause, std::uint32_t mode, IsDirectory directory) {
  const auto at = clause.find_first_of("+-=");
  if (at == std::string_view::npos) return bad(clause);
  std::uint32_t who = 0;
  for (const char letter : clause.substr(0, at)) {
    if (letter == 'u' || letter == 'a') who |= 0700U;
    if (letter == 'g' || letter == 'a') who |= 0070U;
    if (letter == 'o' || letter == 'a') who |= 0007U;
    if (std::string_view("ugoa").find(letter) == std::string_view::npos) return bad(clause);
  }
  if (at == 0) who = 0777U;
  std::uint32_t bits = 0;
  for (const char letter : clause.substr(at + 1)) {
    if (letter == 'r') {
      bits |= 0444U & who;
    } else if (letter == 'w') {
      bits |= 0222U & who;
    } else if (letter == 'x') {
      bits |= 0111U & who;
    } else if (letter == 'X') {
      if (directory == IsDirectory::yes || (mode & 0111U) != 0) bits |= 0111U & who;
    } else if (letter == 't') {
      bits |= 01000U;
    } else {
      return bad(clause);
    }
  }
  switch (clause[at]) {
    case '+':
      return mode | bits;
    case '-':
      return mode & ~bits;
    default:
      return (mode & ~who) | bits;
  }
}

}  // namespace

core::Result<std::uint32_t> apply_mode(std::string_view text, std::uint32_t mode, IsDirectory directory) {
  if (!text.empty() && text.find_first_not_of("01234567") == std::string_view::npos) {
    std::uint32_t octal = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), octal, 8);
    if (error != std::errc{} || octal > 01777U) return bad(text);
    return octal;
  }
  for (const auto clause : core::split(text, ',')) {
    const auto changed = apply_clause(clause, mode, directory);
    if (!changed) return core::fail(changed.error());
    mode = *changed;
  }
  return mode;
}

}  // namespace ydl::cli

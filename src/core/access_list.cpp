#include "core/access_list.hpp"

#include "core/strings.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::core {
namespace {

constexpr std::size_t kLongest = 4096;

bool is_name(std::string_view name) {
  return !name.empty() && std::ranges::none_of(name, [](unsigned char c) { return c <= ' ' || c == 0x7f || c == '*'; });
}

std::optional<std::vector<std::string>> names_of(std::string_view text) {
  std::vector<std::string> names;
  if (text.empty()) return names;
  for (const auto name : split(text, ',')) {
    if (!is_name(name)) return std::nullopt;
    names.emplace_back(name);
  }
  return names;
}

}  // namespace

bool AccessList::names(std::string_view user) const {
  return everybody || (!user.empty() && std::ranges::find(users, user) != users.end());
}

Result<AccessList> parse_access_list(std::string_view text) {
  if (text == "*") return AccessList{.everybody = true};
  const auto space = text.find(' ');
  auto users = names_of(text.substr(0, space));
  auto groups = space == std::string_view::npos ? names_of("") : names_of(text.substr(space + 1));
  if (text.empty() || text.size() > kLongest || !users || !groups) {
    return fail(Errc::usage,
                fmt::format("'{}' is not an access list: write users separated by commas, then one space, then groups "
                            "separated by commas (\"alice,bob ml-team\"); \"*\" means all users, \" \" means no user",
                            printable(text.substr(0, 256))));
  }
  return AccessList{.everybody = false, .users = *std::move(users), .groups = *std::move(groups)};
}

}  // namespace ydl::core

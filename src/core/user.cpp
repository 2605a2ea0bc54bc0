#include "core/user.hpp"

#include "core/files.hpp"
#include "core/strings.hpp"

#include <array>
#include <cstdlib>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::core {
namespace {

std::optional<PasswdEntry> own_passwd_entry() {
  const auto text = read_file("/etc/passwd");
  return text ? find_passwd(*text, ::getuid()) : std::nullopt;
}

}  // namespace

std::optional<std::string> process_getenv(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::optional<PasswdEntry> find_passwd(std::string_view passwd_text, unsigned uid) {
  for (const auto line : split(passwd_text, '\n')) {
    const auto fields = split(line, ':');
    if (fields.size() < 7 || parse_int<unsigned>(fields[2]) != uid) continue;
    return PasswdEntry{std::string(fields[0]), std::string(fields[5]), std::string(fields[6])};
  }
  return std::nullopt;
}

std::string user_name(const Getenv& getenv) {
  for (const char* variable : {"HADOOP_USER_NAME", "USER"}) {
    if (auto value = getenv(variable)) return *value;
  }
  if (auto entry = own_passwd_entry()) return entry->name;
  return fmt::format("uid{}", ::getuid());
}

Result<std::filesystem::path> home_directory(const Getenv& getenv) {
  if (auto home = getenv("HOME")) return std::filesystem::path(*home);
  if (auto entry = own_passwd_entry(); entry && !entry->home.empty()) return std::filesystem::path(entry->home);
  return fail(Errc::not_found,
              "the home directory is unknown, because HOME is not set and /etc/passwd has no entry for this user: set "
              "HOME, or set XDG_STATE_HOME to a folder in which ydl can keep its jobs");
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

}  // namespace ydl::core

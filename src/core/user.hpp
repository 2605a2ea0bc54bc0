#pragma once

#include "core/result.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ydl::core {

// Reads an environment variable. Functions that depend on the environment take it as an argument, so that tests can
// replace the environment.
using Getenv = std::function<std::optional<std::string>(const char* name)>;

[[nodiscard]] std::optional<std::string> process_getenv(const char* name);

struct PasswdEntry {
  std::string name;
  std::string home;
  std::string shell;
};

// The entry of `uid` in the text of /etc/passwd. getpwuid() is not used because it loads the host's NSS modules, which
// a static glibc must not do.
[[nodiscard]] std::optional<PasswdEntry> find_passwd(std::string_view passwd_text, unsigned uid);

// HADOOP_USER_NAME, USER, /etc/passwd, or "uid1234", in this order.
[[nodiscard]] std::string user_name(const Getenv& getenv = process_getenv);

// HOME, or else the entry in /etc/passwd; an Error if both are missing.
[[nodiscard]] Result<std::filesystem::path> home_directory(const Getenv& getenv = process_getenv);

// The host name of this machine from the kernel, without a DNS lookup.
[[nodiscard]] std::string host_name();

}  // namespace ydl::core

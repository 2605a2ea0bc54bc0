#pragma once

#include "core/result.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ydl::core {

// Reads one environment variable; an argument wherever a result depends on the environment.
using Getenv = std::function<std::optional<std::string>(const char* name)>;

[[nodiscard]] std::optional<std::string> process_getenv(const char* name);

struct PasswdEntry {
  std::string name;
  std::string home;
  std::string shell;
};

// The line of `uid` in the text of /etc/passwd. We read it ourselves: a static glibc must not load the host's NSS
// modules, which getpwuid would.
[[nodiscard]] std::optional<PasswdEntry> find_passwd(std::string_view passwd_text, unsigned uid);

// HADOOP_USER_NAME, USER, /etc/passwd, or "uid1234", in this order.
[[nodiscard]] std::string user_name(const Getenv& getenv = process_getenv);

// HOME, or what /etc/passwd says; an Error when neither does.
[[nodiscard]] Result<std::filesystem::path> home_directory(const Getenv& getenv = process_getenv);

// This machine's name as the kernel has it.
[[nodiscard]] std::string host_name();

}  // namespace ydl::core

#include "agent/process/shebang.hpp"

#include "agent/process/launch_request.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"

#include <array>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

namespace fs = std::filesystem;

std::string first_bytes(const fs::path& file) {
  const core::UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) return {};
  std::array<char, 256> bytes{};  // the kernel reads this many
  const auto n = ::read(fd.get(), bytes.data(), bytes.size());
  return n > 0 ? std::string(bytes.data(), static_cast<std::size_t>(n)) : std::string();
}

std::string_view trim_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool can_execute(const fs::path& file) {
  struct stat status{};
  return ::stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(file.c_str(), X_OK) == 0;
}

bool is_there(const fs::path& file) {
  return ::access(file.c_str(), F_OK) == 0;
}

std::string env_problem(const fs::path& script, const std::string& program, std::string_view search_path) {
  if (program.find(' ') != std::string::npos) {
    return fmt::format(
        "{} starts with '#!/usr/bin/env {}', which looks for one program of the name '{}': write '#!/usr/bin/env -S "
        "{}'",
        script.string(), program, program, program);
  }
  return fmt::format("the first line of {} requires '{}', which was not found in PATH={}", script.string(),
                     core::printable(program), search_path);
}

}  // namespace

std::optional<Shebang> parse_shebang(std::string_view first_bytes) {
  if (!first_bytes.starts_with("#!")) return std::nullopt;
  const auto line = trim_blanks(first_bytes.substr(2, first_bytes.find('\n') - 2));
  if (line.empty()) return std::nullopt;
  const auto blank = line.find_first_of(" \t");
  Shebang shebang{std::string(line.substr(0, blank)), {}};
  if (blank != std::string_view::npos) shebang.argument = trim_blanks(line.substr(blank));
  return shebang;
}

std::optional<std::string> program_of_env(std::string_view argument) {
  if (argument.empty()) return std::nullopt;
  const bool split = argument.starts_with("-S");
  if (!split) {
    if (argument.starts_with('-') || argument.find('=') != std::string_view::npos) return std::nullopt;
    return std::string(argument);
  }
  for (const auto word : core::split(trim_blanks(argument.substr(2)), ' ')) {
    if (word.empty() || word.find('=') != std::string_view::npos) continue;
    // Options, quotes and variables of env -S are not interpreted.
    if (word.find_first_of("-\"'\\$") == 0) return std::nullopt;
    return std::string(word);
  }
  return std::nullopt;
}

std::optional<fs::path> first_executable(const std::vector<std::string>& places, const fs::path& from) {
  for (const auto& place : places) {
    if (auto file = from / place; can_execute(file)) return file;
  }
  return std::nullopt;
}

std::optional<std::string> interpreter_problem(const fs::path& script, std::string_view search_path,
                                               const fs::path& working_directory) {
  const auto shebang = parse_shebang(first_bytes(script));
  if (!shebang) return std::nullopt;
  const bool carriage_return = shebang->interpreter.ends_with('\r') || shebang->argument.ends_with('\r');
  const auto interpreter = working_directory / shebang->interpreter;
  if (!is_there(interpreter)) {
    if (carriage_return) {
      return fmt::format(
          "{} has Windows line ends, so its first line does not name a program: save it with Unix line ends",
          script.string());
    }
    return fmt::format("the first line of {} names the interpreter '{}', which does not exist on this machine",
                       script.string(), core::printable(shebang->interpreter));
  }
  if (interpreter.filename() != "env") return std::nullopt;
  const auto program = program_of_env(shebang->argument);
  if (!program || first_executable(candidates(*program, search_path), working_directory)) return std::nullopt;
  if (carriage_return) {
    return fmt::format(
        "{} has Windows line ends, so its first line does not name a program: save it with Unix line ends",
        script.string());
  }
  return env_problem(script, *program, search_path);
}

}  // namespace ydl::agent

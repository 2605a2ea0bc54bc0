#include "client/env/run_tool.hpp"

#include "core/files.hpp"
#include "core/strings.hpp"
#include "net/child_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::client {
namespace {

using core::fail;
using core::Result;

Result<int> wait_for_end(const net::ChildProcess& process, const std::string& name) {
  int status = 0;
  while (::waitpid(process.pid(), &status, 0) < 0) {
    if (errno != EINTR) return fail(core::system_error(errno, fmt::format("cannot wait for {}", name)));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::string last_words(const std::filesystem::path& log) {
  const auto text = core::read_file(log);
  auto lines = core::split(core::trim(text ? std::string_view(*text) : ""), '\n');
  // The last line of tar is only a consequence of its first one.
  while (lines.size() > 1 && lines.back().starts_with("tar: ")) lines.pop_back();
  return lines.back().empty() ? "it printed no message" : core::printable(core::trim(lines.back()));
}

std::string words_since(const std::filesystem::path& log, std::uintmax_t size) {
  constexpr std::size_t kMost = 800;
  const auto text = core::read_file(log);
  if (!text) return "it printed no message";
  std::string words;
  const auto from = static_cast<std::size_t>(std::min<std::uintmax_t>(size, text->size()));
  for (const auto line : core::split(std::string_view(*text).substr(from), '\n')) {
    const auto bare = core::trim(line);
    if (!bare.empty()) words += (words.empty() ? "" : " ") + std::string(bare);
  }
  if (words.empty()) return "it printed no message";
  if (words.size() > kMost) words = "… " + words.substr(words.size() - kMost);
  return core::printable(words);
}

Result<int> run_tool(std::vector<std::string> argv, const std::filesystem::path& folder,
                     const std::filesystem::path& log) {
  net::SpawnOptions options;
  const auto name = argv.front();
  options.executable = name;
  options.argv = std::move(argv);
  options.log_file = log;
  options.directory = folder;
  const auto process = net::ChildProcess::spawn(std::move(options));
  if (!process) return fail(process.error());
  return wait_for_end(*process, name);
}

Result<std::string> output_of(std::vector<std::string> argv, const std::filesystem::path& log) {
  auto pipe = core::make_pipe();
  if (!pipe) return fail(pipe.error());
  net::SpawnOptions options;
  const auto name = argv.front();
  options.executable = name;
  options.argv = std::move(argv);
  options.log_file = log;
  options.standard_output = std::move(pipe->write);
  const auto process = net::ChildProcess::spawn(std::move(options));
  if (!process) return fail(process.error());
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const auto size = ::read(pipe->read.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(size));
  }
  const auto code = wait_for_end(*process, name);
  if (!code) return fail(code.error());
  if (*code != 0)
    return fail(core::Errc::io, fmt::format("{} failed with exit code {}: {}", name, *code, last_words(log)));
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace ydl::client

#include "cli/args/output_word.hpp"
#include "cli/args/parse.hpp"
#include "cli/commands/common.hpp"
#include "client/yarn/masterless.hpp"
#include "core/descriptors.hpp"
#include "core/files.hpp"
#include "core/process_guard.hpp"

#include <algorithm>
#include <csignal>
#include <exception>
#include <fcntl.h>
#include <malloc.h>
#include <span>
#include <string>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

namespace {

// Descriptors 0, 1 and 2 are always taken, so that no file or socket of ours ever gets one of them.
void fill_standard_descriptors() {
  int fd = 0;
  do {
    fd = ::open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) ::close(fd);
}

// Commands that write files for the user leave them with the mode that the user's other programs would give them.
bool writes_for_the_user(const ydl::cli::Command& command) {
  const auto* logs = std::get_if<ydl::cli::Logs>(&command);
  return std::holds_alternative<ydl::cli::Fs>(command) || std::holds_alternative<ydl::cli::Results>(command) ||
         (logs != nullptr && !logs->target.empty());
}

// Commands of people who look after their jobs.
bool shows_jobs(const ydl::cli::Command& command) {
  using namespace ydl::cli;
  return std::visit(
      []<class C>(const C&) {
        return std::is_same_v<C, Run> || std::is_same_v<C, Submit> || std::is_same_v<C, List> ||
               std::is_same_v<C, Status> || std::is_same_v<C, Logs> || std::is_same_v<C, Events> ||
               std::is_same_v<C, Kill> || std::is_same_v<C, Remove>;
      },
      command);
}

// Whether the errors of a command are for programs.
bool wants_json(const ydl::core::Result<ydl::cli::Command>& command, std::span<const std::string> words) {
  if (!command) return ydl::cli::names_json_output(words);
  return std::visit(
      []<class C>(const C& c) {
        if constexpr (requires { c.common.output; }) return c.common.output == ydl::ui::Mode::json;
        if constexpr (requires { c.options.common.output; }) return c.options.common.output == ydl::ui::Mode::json;
        if constexpr (requires { c.output; }) return c.output == ydl::ui::Mode::json;
        return false;
      },
      *command);
}

void say(const std::string& line) {
  (void)ydl::core::write_all(STDERR_FILENO, line + "\n");
}

}  // namespace

int main(int argc, char** argv) {
  using namespace ydl;
  fill_standard_descriptors();
  // For all that this program can be: client, master, agent.
  core::raise_descriptor_limit();
  // Each further arena takes 64 MiB of addresses, and NodeManagers count the virtual memory of a container.
  ::mallopt(M_ARENA_MAX, 1);
  core::guard_memory();
  ::signal(SIGPIPE, SIG_IGN);
  try {
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    const auto command = cli::parse(argc > 0 ? argv[0] : "ydl", words);
    if (wants_json(command, words)) cli::complain_in_json();
    if (!command) return cli::check_output(cli::complain(command.error()));
    if (!writes_for_the_user(*command)) core::guard_files();
    if (shows_jobs(*command)) client::end_masterless_jobs(say);
    return cli::check_output(std::visit([](const auto& c) { return cli::execute(c); }, *command));
  } catch (const std::exception& error) {
    return cli::complain({make_error_code(core::Errc::io), fmt::format("unexpected: {}", error.what())});
  }
}

#include "core/log.hpp"

#include "core/clock.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"
#include "core/utf8.hpp"

#include <unistd.h>

namespace ydl::core {

void log_line(std::string_view text) {
  // The text may hold what a server sent, and a terminal must not take that for commands.
  // One write per line: lines of several processes sharing the file do not mix. A full disk loses lines, not jobs.
  (void)write_all(STDERR_FILENO, fmt::format("{} [{}] {}\n", format_utc(wall_now()), ::getpid(), escaped_lines(text)));
}

}  // namespace ydl::core

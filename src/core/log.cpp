#include "core/log.hpp"

#include "core/clock.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"
#include "core/utf8.hpp"

#include <unistd.h>

namespace ydl::core {

void log_line(std::string_view text) {
  // The text may contain bytes from a server, so control characters are escaped: a terminal must not execute them. One
  // write per line keeps the lines of several processes in one file apart. Errors are ignored: a full disk must not end
  // a job.
  (void)write_all(STDERR_FILENO, fmt::format("{} [{}] {}\n", format_utc(wall_now()), ::getpid(), escaped_lines(text)));
}

}  // namespace ydl::core

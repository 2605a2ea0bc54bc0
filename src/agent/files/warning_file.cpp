#include "agent/files/warning_file.hpp"

#include "core/files.hpp"

#include <fmt/format.h>

namespace ydl::agent {

namespace fs = std::filesystem;

// Not in the working directory, whose files become results of the task.
WarningFile::WarningFile(const protocol::Prepare& request)
    : file_(fs::path(request.working_directory).parent_path() /
            fmt::format("warnings-{}-{}", request.attempt.task.file_name(), request.attempt.attempt) /
            "preemption.json") {}

core::Result<> WarningFile::prepare() const {
  std::error_code error;
  fs::create_directories(file_.parent_path(), error);
  if (error) return core::fail(error, fmt::format("cannot create {}", file_.parent_path().string()));
  return {};
}

core::Result<> WarningFile::write(const protocol::Warn& warning, core::WallTime now) const {
  if (auto made = prepare(); !made) return made;
  return core::write_file_atomically(file_, warning_json(warning, now) + "\n", 0644);
}

void WarningFile::remove() const {
  std::error_code ignored;
  fs::remove(file_, ignored);
}

std::string warning_json(const protocol::Warn& warning, core::WallTime now) {
  const auto deadline = std::chrono::duration_cast<core::Millis>((now + warning.within).time_since_epoch());
  constexpr double kThousand = 1000;
  return fmt::format(R"({{"task":"{}","deadline":{:.1f},"seconds":{},"cause":"{}"}})", warning.task.str(),
                     static_cast<double>(deadline.count()) / kThousand,
                     std::chrono::duration_cast<core::Seconds>(warning.within).count(), name(warning.cause));
}

}  // namespace ydl::agent

#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"
#include "protocol/commands.hpp"

#include <filesystem>
#include <string>

namespace ydl::agent {

// The file that YDL_PREEMPTION_FILE names. It exists while a task of the gang is about to lose its container. It has
// its own folder, which can be mounted into an image before the file exists.
class WarningFile {
 public:
  explicit WarningFile(const protocol::Prepare& request);

  [[nodiscard]] const std::filesystem::path& path() const { return file_; }
  // Creates its folder. Errors: io.
  [[nodiscard]] core::Result<> prepare() const;
  // Errors: it cannot be written.
  [[nodiscard]] core::Result<> write(const protocol::Warn& warning, core::WallTime now) const;
  void remove() const;

 private:
  std::filesystem::path file_;
};

// {"task":"worker:1","deadline":1794853529.5,"seconds":14,"cause":"preempted"}
[[nodiscard]] std::string warning_json(const protocol::Warn& warning, core::WallTime now);

}  // namespace ydl::agent

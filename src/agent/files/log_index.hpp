#pragma once

#include "core/clock.hpp"
#include "files/log_times.hpp"

#include <cstdint>
#include <filesystem>

namespace ydl::agent {

// Writes the index of one log (files/log_times.hpp) while its task runs. The file is made with the log's first byte. It
// is opened for each entry, so that an agent of many tasks does not run out of descriptors. An index that cannot be
// written stops nothing: lines without an entry have no time.
class LogIndex {
 public:
  explicit LogIndex(const std::filesystem::path& log);

  void look(std::uint64_t size, core::Instant now, core::WallTime wall);
  // Writes the last entry: the log grows no more.
  void finish();

 private:
  void write(const files::LogTimesPlan::Step& step);

  std::filesystem::path path_;
  files::LogTimesPlan plan_;
  bool has_failed_ = false;  // which was reported
  bool has_mode_ = false;
  bool is_torn_ = false;  // the last entry may have been written in part
};

}  // namespace ydl::agent

#pragma once

#include "core/ids.hpp"
#include "jobs/job_folder.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ydl::client {

// Takes the lines that are meant for ydl ("::progress …", "::checkpoint") out of the bytes that a task writes. The
// beginning of a line that may become one is held back.
class MessageFilter {
 public:
  [[nodiscard]] std::string pass(std::string_view bytes);
  // What is held back, at the end.
  [[nodiscard]] std::string rest() { return std::exchange(held_, {}); }

 private:
  [[nodiscard]] std::string pass_held();

  std::string held_;
  bool at_line_start_ = true;
};

// The bytes of one task as it writes them, over its attempts: for a terminal that shows nothing else.
class TaskOutput {
 public:
  struct Piece {
    std::string stream;  // stdout or stderr
    std::string bytes;
  };

  // `from`: what a terminal shows that was not there from the beginning.
  enum class From { start, last_lines };

  TaskOutput(jobs::JobFolder folder, core::TaskId task, From from);

  // What is new, at most 256 KiB of each stream. Empty: nothing is.
  [[nodiscard]] std::vector<Piece> poll();
  // The beginnings of lines that poll() held back, at the end.
  [[nodiscard]] std::vector<Piece> rest();

 private:
  struct File {
    std::string stream;
    std::uint64_t offset = 0;
    MessageFilter filter = {};
  };

  void discover();

  jobs::JobFolder folder_;
  core::TaskId task_;
  From from_;
  int first_attempt_ = 0;              // those before it are not shown
  std::map<std::string, File> files_;  // by path
};

}  // namespace ydl::client

#pragma once

#include <string>
#include <string_view>
#include <utility>

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

}  // namespace ydl::client

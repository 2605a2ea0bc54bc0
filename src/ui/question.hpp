#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::ui {

enum class Answer {
  leave,     // the job goes on without us
  stop,      // the job is to end
  carry_on,  // nothing happened: go on following
};

enum class Leaving {
  possible,
  impossible,  // the job's master lives in this process
};

// What a first Ctrl-C asks: whether to stop the job, to leave it running or to go on. Bytes typed go in, one answer
// comes out; it works whether the terminal hands over single keys or whole lines. A second interrupt means stop. Other
// keys change the text to one that names the keys. Those of arrows and the like, whose sequences end in letters, answer
// nothing. No I/O.
class Question {
 public:
  explicit Question(Leaving leaving) : leaving_(leaving) {}

  // The question in several lengths, the longest first: one row of a terminal.
  [[nodiscard]] std::vector<std::string> texts() const;
  // Nothing: keep waiting. After the first answer further input changes nothing.
  std::optional<Answer> input(std::string_view bytes);
  std::optional<Answer> interrupt();
  // The terminal is gone: no answer can come, so the job keeps running where it can, else it stops.
  std::optional<Answer> end_of_input();
  [[nodiscard]] const std::optional<Answer>& answer() const { return answer_; }

 private:
  enum class State {
    key,       // the next byte is a key
    escape,    // after ESC
    esc_key,   // after ESC with which the input ended: the key, or a sequence that comes in pieces
    sequence,  // inside ESC [ ... or ESC O ..., up to its final byte
  };
  void take(char byte);
  void take_key(char key);

  Leaving leaving_;
  State state_ = State::key;
  bool explains_keys_ = false;  // a key was pressed that is not an answer
  std::optional<Answer> answer_;
};

}  // namespace ydl::ui

#include "ui/question.hpp"

namespace ydl::ui {
namespace {

constexpr char kInterruptByte = '\x03';  // where the terminal hands Ctrl-C over as a byte
constexpr char kEndByte = '\x04';        // Ctrl-D

}  // namespace

std::string Question::prompt() const {
  return leaving_ == Leaving::possible ? "Ctrl-C: [l]eave running, [s]top, [c]ontinue? "
                                       : "Ctrl-C: the job runs with this command; [s]top, [c]ontinue? ";
}

std::optional<Answer> Question::input(std::string_view bytes) {
  for (const char byte : bytes) {
    if (!answer_) take(byte);
  }
  return answer_;
}

std::optional<Answer> Question::interrupt() {
  if (!answer_) answer_ = Answer::stop;
  return answer_;
}

std::optional<Answer> Question::end_of_input() {
  if (!answer_) answer_ = leaving_ == Leaving::possible ? Answer::leave : Answer::stop;
  return answer_;
}

void Question::take(char byte) {
  // An interrupt counts wherever it comes: a sequence that was cut off must not swallow it.
  if (byte == kInterruptByte || byte == '\x1b') {
    state_ = byte == '\x1b' ? State::escape : State::key;
    if (byte == kInterruptByte) interrupt();
    return;
  }
  switch (state_) {
    case State::key:
      take_key(byte);
      return;
    case State::escape:
      state_ = byte == '[' || byte == 'O' ? State::sequence : State::key;
      return;
    case State::sequence:
      if (byte >= 0x40 && byte <= 0x7E) state_ = State::key;
      return;
  }
}

void Question::take_key(char key) {
  switch (key) {
    case 's':
    case 'S':
      answer_ = Answer::stop;
      return;
    case 'c':
    case 'C':
      answer_ = Answer::carry_on;
      return;
    case 'l':
    case 'L':
      if (leaving_ == Leaving::possible) answer_ = Answer::leave;
      return;
    case kEndByte:
      end_of_input();
      return;
    default:
      return;
  }
}

}  // namespace ydl::ui

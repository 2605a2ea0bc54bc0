#include "ui/question.hpp"

#include <fmt/format.h>

namespace ydl::ui {
namespace {

constexpr char kInterruptByte = '\x03';  // where the terminal hands Ctrl-C over as a byte
constexpr char kEndByte = '\x04';        // Ctrl-D

}  // namespace

std::vector<std::string> Question::texts() const {
  const bool can_leave = leaving_ == Leaving::possible;
  const auto* const keys = can_leave ? "s, l or c" : "s or c";
  const auto lead = explains_keys_ ? fmt::format("Press {}:", keys) : std::string("Stop the job?");
  const auto* const leave = can_leave ? "   [l]eave it running" : "";
  const auto* const again =
      can_leave ? "(Ctrl-C again: stop now)" : "(it ends with this command; Ctrl-C again: stop now)";
  return {fmt::format("{} [s]top{}   [c]ontinue watching   {}", lead, leave, again),
          fmt::format("{} [s]top{}   [c]ontinue watching", lead, leave),
          fmt::format("{} [s]top{} [c]ontinue", explains_keys_ ? "Press" : "Stop?", can_leave ? " [l]eave" : ""),
          explains_keys_ ? fmt::format("press {}", keys) : fmt::format("stop? {}", keys)};
}

std::optional<Answer> Question::input(std::string_view bytes) {
  for (const char byte : bytes) {
    if (!answer_) take(byte);
  }
  if (state_ == State::escape) {
    state_ = State::esc_key;
    explains_keys_ = true;
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
    case State::esc_key:
    case State::escape: {
      const bool was_key = state_ == State::esc_key;
      state_ = byte == '[' || byte == 'O' ? State::sequence : State::key;
      explains_keys_ = true;
      if (was_key && state_ == State::key) take_key(byte);
      return;
    }
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
      if (leaving_ == Leaving::possible)
        answer_ = Answer::leave;
      else
        explains_keys_ = true;
      return;
    case kEndByte:
      end_of_input();
      return;
    default:
      explains_keys_ = true;
      return;
  }
}

}  // namespace ydl::ui

#pragma once

#include <optional>
#include <string>
#include <string_view>

// Lines of a log that tell how far its task is: those that a task writes for ydl, and the bars that tqdm and Keras
// print. Pure.
namespace ydl::files {

struct Progress {
  double fraction = 0;  // 0 to 1
  std::string text;

  bool operator==(const Progress&) const = default;
};

// "::progress 3/8 TEXT", "::progress 42% TEXT" or "::progress 0.42 TEXT". Nothing for any other line, and for a number
// that does not tell a part of a whole.
[[nodiscard]] std::optional<Progress> parse_progress(std::string_view line);

// Whether a line begins with the word "::progress", so that its writer expects it to be understood.
[[nodiscard]] bool is_progress_line(std::string_view line);

// " 42%|████▏     | 42/100 [00:12<00:16,  3.5it/s]", with or without a description before it and values after it.
[[nodiscard]] std::optional<Progress> parse_tqdm_bar(std::string_view line);

// "12/50 [======>.......] - ETA: 3s - loss: 0.31", and the bar of Keras 3: "12/50 ━━━━━━━ 3s 8ms/step - loss: 0.31".
[[nodiscard]] std::optional<Progress> parse_keras_bar(std::string_view line);

// Reads the lines of one log in their order: a bar of Keras is that of an epoch, and a line before it tells which one
// of how many.
class BarReader {
 public:
  // A complete line.
  void read(std::string_view line);
  // The latest bar. `unfinished` is the line that has no end yet: a bar overwrites itself, and ends no line until the
  // next state of it comes.
  [[nodiscard]] std::optional<Progress> latest(std::string_view unfinished) const;

 private:
  struct Epoch {
    int number = 0;  // from 1
    int of = 0;
  };
  [[nodiscard]] static std::optional<Epoch> parse_epoch(std::string_view line);
  [[nodiscard]] std::optional<Progress> bar_of(std::string_view line) const;

  std::optional<Epoch> epoch_;
  std::optional<Progress> bar_;
};

}  // namespace ydl::files

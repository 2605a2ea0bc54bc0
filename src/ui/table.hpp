#pragma once

#include "ui/line.hpp"

#include <string>
#include <vector>

namespace ydl::ui {

enum class Align { left, right };
enum class Fit {
  keep,    // shown whole as long as the screen has room for it
  shrink,  // gives way first: names, reasons, paths
};

struct Column {
  std::string title;
  Align align = Align::left;
  Fit fit = Fit::keep;
};

// A header and rows in columns two blanks apart, no blanks at the end of a line.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell per column; missing ones are empty. A tone is for the whole row.
  void row(std::vector<std::string> cells, Tone tone = Tone::plain);
  // The columns it takes when nothing is cut.
  [[nodiscard]] int natural_width() const;
  // Cut to `width` columns of the terminal; 0: as wide as it is, for pipes.
  [[nodiscard]] std::string render(int width, const Style& style) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Tone tone;
  };
  [[nodiscard]] std::vector<int> widths(int width) const;
  [[nodiscard]] Line line(const Row& row, const std::vector<int>& widths, const Style& style) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace ydl::ui

#pragma once

#include "ui/text.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::test {

// Emulates the features of a terminal that the live display uses: text with wide and combining characters, automatic
// wrapping, scrolling with history, CR, LF, and the escape sequences A (cursor up), J, K, m and ?7h/l. Any other
// control byte or sequence throws, so that the emulation covers everything that the display sends.
class Vt {
 public:
  Vt(int columns, int rows) : columns_(columns), rows_(rows), grid_(static_cast<std::size_t>(rows)) {}

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto c = static_cast<unsigned char>(bytes[0]);
      if (c == 0x1B) {
        bytes.remove_prefix(escape(bytes));
      } else if (c == '\r') {
        column_ = 0;
        bytes.remove_prefix(1);
      } else if (c == '\n') {
        line_feed();
        bytes.remove_prefix(1);
      } else if (c < 0x20 || c == 0x7F) {
        throw std::runtime_error("control byte " + std::to_string(c));
      } else {
        std::size_t length = 1;
        while (length < bytes.size() && (static_cast<unsigned char>(bytes[length]) & 0xC0U) == 0x80) ++length;
        put(bytes.substr(0, length));
        bytes.remove_prefix(length);
      }
    }
  }

  // Everything that was shown and not overwritten, history first, without blanks at the ends of lines.
  [[nodiscard]] std::string text() const {
    std::string all;
    for (const auto& row : history_) all += shown(row) + "\n";
    all += screen();
    return all;
  }

  // The screen without empty rows at its end.
  [[nodiscard]] std::string screen() const {
    std::string all;
    for (const auto& row : grid_) all += shown(row) + "\n";
    while (all.ends_with("\n\n")) all.pop_back();
    return all == "\n" ? std::string() : all;
  }

  // The number of characters that did not fit into their row while wrapping was off.
  [[nodiscard]] int cut() const { return cut_; }
  [[nodiscard]] bool wraps() const { return wrap_; }
  [[nodiscard]] int row() const { return row_; }
  [[nodiscard]] int column() const { return column_; }

  // Changes the width of the window like most terminals, which fold long rows. Only rows on the screen are changed.
  void resize(int columns) {
    std::vector<Row> folded;
    int cursor = 0;
    for (int i = 0; i < rows_; ++i) {
      const auto& row = grid_[static_cast<std::size_t>(i)];
      if (i == row_) cursor = static_cast<int>(folded.size());
      std::size_t at = 0;
      do {
        const auto end = std::min(row.size(), at + static_cast<std::size_t>(columns));
        folded.emplace_back(row.begin() + static_cast<std::ptrdiff_t>(at),
                            row.begin() + static_cast<std::ptrdiff_t>(end));
        at = end;
      } while (at < row.size());
    }
    columns_ = columns;
    while (cursor >= rows_) {
      history_.push_back(folded.front());
      folded.erase(folded.begin());
      --cursor;
    }
    folded.resize(static_cast<std::size_t>(rows_));
    grid_ = std::move(folded);
    row_ = cursor;
  }

 private:
  // A cell contains a character with its combining characters. The second cell of a wide character is empty.
  using Row = std::vector<std::string>;

  static std::string shown(const Row& row) {
    std::string text;
    for (const auto& cell : row) text += cell;
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

  Row& current() { return grid_[static_cast<std::size_t>(row_)]; }

  // tmux does this with what is erased from the first cell on.
  void keep_screen() {
    while (!grid_.empty() && shown(grid_.back()).empty()) grid_.pop_back();
    history_.insert(history_.end(), grid_.begin(), grid_.end());
  }

  void line_feed() {
    if (row_ + 1 < rows_) {
      ++row_;
      return;
    }
    history_.push_back(grid_.front());
    grid_.erase(grid_.begin());
    grid_.emplace_back();
  }

  void put(std::string_view character) {
    const int width = ui::display_width(character);
    if (width == 0) {
      if (column_ > 0) current()[static_cast<std::size_t>(column_ - 1)] += character;
      return;
    }
    if (column_ + width > columns_) {
      if (!wrap_) {
        ++cut_;
        return;
      }
      column_ = 0;
      line_feed();
    }
    auto& row = current();
    if (row.size() < static_cast<std::size_t>(column_ + width))
      row.resize(static_cast<std::size_t>(column_ + width), " ");
    row[static_cast<std::size_t>(column_)] = std::string(character);
    if (width == 2) row[static_cast<std::size_t>(column_ + 1)].clear();
    column_ += width;
  }

  std::size_t escape(std::string_view bytes) {
    const auto end = bytes.find_first_not_of("0123456789;?", 2);
    if (bytes.size() < 3 || bytes[1] != '[' || end == std::string_view::npos)
      throw std::runtime_error("cut escape sequence");
    const auto parameters = bytes.substr(2, end - 2);
    switch (bytes[end]) {
      case 'A':
        row_ = std::max(0, row_ - std::stoi(std::string(parameters)));
        break;
      case 'J':
        if (row_ == 0 && column_ == 0) keep_screen();
        grid_.resize(static_cast<std::size_t>(row_ + 1));
        grid_.resize(static_cast<std::size_t>(rows_));
        [[fallthrough]];
      case 'K':
        if (current().size() > static_cast<std::size_t>(column_)) current().resize(static_cast<std::size_t>(column_));
        break;
      case 'm':
        break;
      case 'h':
      case 'l':
        if (parameters != "?7") throw std::runtime_error("unknown mode " + std::string(parameters));
        wrap_ = bytes[end] == 'h';
        break;
      default:
        throw std::runtime_error("unknown escape sequence " + std::string(bytes.substr(1, end)));
    }
    return end + 1;
  }

  int columns_;
  int rows_;
  std::vector<Row> grid_;
  std::vector<Row> history_;
  int row_ = 0;
  int column_ = 0;
  int cut_ = 0;
  bool wrap_ = true;
};

}  // namespace ydl::test

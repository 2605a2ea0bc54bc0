#include "ui/table.hpp"

#include "core/assert.hpp"
#include "ui/text.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ydl::ui {
namespace {

constexpr int kGap = 2;
constexpr int kMinShrunk = 6;  // less of a name cannot be recognised

}  // namespace

void Table::row(std::vector<std::string> cells, Tone tone) {
  YDL_ASSERT(cells.size() <= columns_.size());
  cells.resize(columns_.size());
  for (auto& cell : cells) cell = clean(cell);
  rows_.push_back({std::move(cells), tone});
}

// Takes what is too much from the widest column that may shrink, one cell at a time, so that two long ones end alike.
std::vector<int> Table::widths(int width) const {
  std::vector<int> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    int widest = display_width(columns_[i].title);
    for (const auto& row : rows_) widest = std::max(widest, display_width(row.cells[i]));
    widths.push_back(widest);
  }
  if (width <= 0 || widths.empty()) return widths;
  for (int excess = natural_width() - width; excess > 0; --excess) {
    int* widest = nullptr;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const bool can = columns_[i].fit == Fit::shrink && widths[i] > kMinShrunk;
      if (can && (widest == nullptr || widths[i] > *widest)) widest = &widths[i];
    }
    if (widest == nullptr) break;
    --*widest;
  }
  return widths;
}

int Table::natural_width() const {
  const auto natural = widths(0);
  return std::accumulate(natural.begin(), natural.end(), kGap * std::max(0, static_cast<int>(natural.size()) - 1));
}

Line Table::line(const Row& row, const std::vector<int>& widths, const Style& style) const {
  std::string text;
  std::size_t used = 0;  // up to the end of the last cell that is not empty
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    if (i > 0) text.append(kGap, ' ');
    const auto cell = cut(row.cells[i], widths[i], style.ellipsis());
    const bool right = columns_[i].align == Align::right;
    text += right ? pad_left(cell, widths[i]) : cell;
    if (!cell.empty()) used = text.size();
    if (!right) text += pad_right("", widths[i] - display_width(cell));
  }
  return Line(std::string_view(text).substr(0, used), row.tone);
}

std::string Table::render(int width, const Style& style) const {
  const auto columns = widths(width);
  Row header{{}, Tone::bold};
  for (const auto& column : columns_) header.cells.push_back(column.title);
  std::string out;
  const auto add = [&](const Row& row) {
    const auto whole = line(row, columns, style);
    out.append(width > 0 ? whole.cut_to(width, style) : whole.whole(style)).append("\n");
  };
  add(header);
  for (const auto& row : rows_) add(row);
  return out;
}

}  // namespace ydl::ui

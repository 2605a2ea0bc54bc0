#pragma once

#include "core/clock.hpp"

namespace ydl::ui {

struct Size {
  int columns = 80;
  int rows = 24;

  bool operator==(const Size&) const = default;
};

// The moment something is shown, and on what. Two clocks: `wall` is what ages are counted against, `steady` is what
// refreshes are spaced by, so that a corrected clock neither freezes nor floods the screen.
struct Frame {
  core::Instant steady;
  core::WallTime wall;
  Size size;
};

}  // namespace ydl::ui

#pragma once

#include <cstdio>
#include <cstdlib>

// Checks an invariant of our own code, also in release builds. Wrong input from outside is reported as an Error, never
// with this macro.
#define YDL_ASSERT(condition)                                                                       \
  do {                                                                                              \
    if (!(condition)) {                                                                             \
      std::fprintf(stderr, "ydl: broken invariant at %s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                                 \
    }                                                                                               \
  } while (false)

#pragma once

#include <cstdio>
#include <cstdlib>

// Our own invariant, checked in release builds too. What the outside can get wrong is an Error, never this.
#define YDL_ASSERT(condition)                                                                       \
  do {                                                                                              \
    if (!(condition)) {                                                                             \
      std::fprintf(stderr, "ydl: broken invariant at %s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                                 \
    }                                                                                               \
  } while (false)

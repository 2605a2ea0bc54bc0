// The libraries that are a part of this program. The assembler copies their bytes; CMake compiles this file again when
// they change.
#include "libhdfs/install.hpp"

#define YDL_EMBED(name, file)   \
  asm(".section .rodata." #name \
      ",\"a\"\n"                \
      ".balign 16\n" #name      \
      "_begin:\n"               \
      ".incbin \"" file "\"\n" #name "_end:\n.byte 0\n.previous\n")

YDL_EMBED(ydl_libhdfs, YDL_LIBHDFS_FILE);
YDL_EMBED(ydl_libjvm, YDL_LIBJVM_FILE);

extern "C" {
extern const char ydl_libhdfs_begin[] __attribute__((visibility("hidden")));
extern const char ydl_libhdfs_end[] __attribute__((visibility("hidden")));
extern const char ydl_libjvm_begin[] __attribute__((visibility("hidden")));
extern const char ydl_libjvm_end[] __attribute__((visibility("hidden")));
}

namespace ydl::libhdfs {

std::string_view library() {
  return {ydl_libhdfs_begin, ydl_libhdfs_end};
}

std::string_view empty_jvm() {
  return {ydl_libjvm_begin, ydl_libjvm_end};
}

}  // namespace ydl::libhdfs

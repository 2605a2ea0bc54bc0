# Compiler settings that every target of ydl shares, in the interface target ydl_options.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

# GCC 12 destroys some temporaries twice in expressions with co_await, without a word (docs/adr/0001).
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
  message(FATAL_ERROR "ydl needs clang 19 or newer, not ${CMAKE_CXX_COMPILER}: run 'make build', "
                      "which installs and selects it, or pass -DCMAKE_CXX_COMPILER=clang++-19.")
endif()

find_program(YDL_CCACHE ccache)
if(YDL_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${YDL_CCACHE})
endif()

add_library(ydl_options INTERFACE)
target_compile_options(ydl_options INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Werror -ffunction-sections -fdata-sections
  -fno-omit-frame-pointer)
target_link_options(ydl_options INTERFACE -fuse-ld=lld -Wl,--gc-sections)

# The binary that users get: at an address that nobody can guess, with tables that are read-only once it runs, and
# checks where memory errors become attacks. Sanitizers find more in the other presets, and FORTIFY needs optimization.
# Our libraries and the generated code have these flags too; Debian's static libraries are as Debian compiles them.
if(YDL_STATIC)
  add_compile_options(-fPIE -fstack-protector-strong -fcf-protection=full -ftrivial-auto-var-init=zero
                      -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack,-z,pack-relative-relocs)
endif()

if(YDL_SANITIZE)
  add_compile_options(-fsanitize=${YDL_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${YDL_SANITIZE})
endif()
if(YDL_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

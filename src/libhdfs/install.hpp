#pragma once

#include "core/result.hpp"
#include "core/user.hpp"

#include <filesystem>
#include <string_view>

namespace ydl::libhdfs {

// The bytes of libhdfs.so, which is a part of this program.
[[nodiscard]] std::string_view library();
// The bytes of a libjvm.so without any function: pyarrow does not look for libhdfs.so before it has found one.
[[nodiscard]] std::string_view empty_jvm();

// Writes the library into a folder below `root`, unless it is there already, and returns this folder, which
// HADOOP_HDFS_HOME must name:
//
//   lib/native/libhdfs.so    bin/ydl -> `program`, which the library starts    java/lib/server/libjvm.so
//
// The folder's name depends on the library and on `program`, so that two versions of ydl do not disturb each other, and
// only its owner can enter it. Several processes may call this at the same time. Errors: io; refused, when the folder
// belongs to another user.
[[nodiscard]] core::Result<std::filesystem::path> install_library(const std::filesystem::path& root,
                                                                  const std::filesystem::path& program);

// The path of this program for install_library(). Errors: io.
[[nodiscard]] core::Result<std::filesystem::path> this_program();

// The user's cache: $XDG_CACHE_HOME/ydl or ~/.cache/ydl. Errors: usage.
[[nodiscard]] core::Result<std::filesystem::path> user_cache(const core::Getenv& getenv = core::process_getenv);

}  // namespace ydl::libhdfs

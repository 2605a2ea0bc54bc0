#pragma once

#include <system_error>

namespace ydl::libhdfs {

// The errno for an error of HDFS. Where Hadoop's libhdfs has a value for the same exception, it is this one. Programs
// decide by it: TensorFlow turns it into NotFoundError, PermissionDeniedError and so on. Never 0.
[[nodiscard]] int errno_of(const std::error_code& code);

}  // namespace ydl::libhdfs

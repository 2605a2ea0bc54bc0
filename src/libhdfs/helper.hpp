#pragma once

namespace ydl::libhdfs {

// The process behind libhdfs.so: `ydl __hdfs`, which the library starts. It serves the connections that arrive on
// descriptor 3 (docs/libhdfs.md), and ends when the program that started it, and all processes that this program
// forked, have ended or closed the library's sockets.
//
// Its configuration is the file in YDL_HDFS_CONFIG, which an agent wrote for its task, or else what `ydl fs` uses. With
// YDL_HDFS_LOG it writes its log to that file. Returns the exit code, at once in the process that was started and at
// the end in the helper, which leaves its parent.
[[nodiscard]] int run_helper();

}  // namespace ydl::libhdfs

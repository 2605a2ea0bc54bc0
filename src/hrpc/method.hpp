#pragma once

#include <string_view>

namespace ydl::hrpc {

// Whether a call may be repeated when it is unknown whether the server executed it.
enum class Repeat {
  idempotent,    // executing it twice has the same effect as once
  at_most_once,  // the server recognises client id and call id and returns its first answer again (retry cache)
  never,         // must not be repeated: the caller gets an error
};

// One remote method. `protocol` is the name of the Java interface under which the server registers it, for example
// "org.apache.hadoop.hdfs.protocol.ClientProtocol"; all protocols that we use have version 1. Must consist of
// constants, because calls keep the views.
struct Method {
  std::string_view protocol;
  std::string_view name;
  Repeat repeat;
};

}  // namespace ydl::hrpc

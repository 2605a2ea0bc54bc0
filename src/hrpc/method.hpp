#pragma once

#include <string_view>

namespace ydl::hrpc {

// What happens when a call is sent again because nobody knows whether the first one arrived.
enum class Repeat {
  idempotent,    // doing it twice is doing it once
  at_most_once,  // the server remembers client id and call id and gives the old answer
  never,         // not safe: the caller is told instead
};

// One remote method. `protocol` is the Java interface's name as the server registers it, e.g.
// "org.apache.hadoop.hdfs.protocol.ClientProtocol"; its version is 1 for all we speak. Made of constants: calls keep
// the views.
struct Method {
  std::string_view protocol;
  std::string_view name;
  Repeat repeat;
};

}  // namespace ydl::hrpc

#pragma once

#include "core/error.hpp"

#include <string_view>

namespace ydl::hdfs {

// Adds the location (`place`) and, if known, a remedy to an error of this module or of the NameNode. Also refines codes
// that Hadoop's exceptions do not distinguish: no_datanodes, when no DataNode can store a block.
[[nodiscard]] core::Error explain(core::Error error, std::string_view place);

}  // namespace ydl::hdfs

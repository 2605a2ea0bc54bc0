#pragma once

#include "core/error.hpp"

#include <string_view>

namespace ydl::hdfs {

// An error of this module or of the NameNode as a sentence that says where it happened and, where there is one, what
// helps. Codes the Java exception does not tell apart are refined: a block that no DataNode takes is no_datanodes.
[[nodiscard]] core::Error explain(core::Error error, std::string_view place);

}  // namespace ydl::hdfs

#pragma once

#include "core/result.hpp"
#include "hconf/config.hpp"
#include "hconf/services.hpp"
#include "hdfs/options.hpp"
#include "hrpc/configured.hpp"

namespace ydl::hdfs {

// The options of a file system from Hadoop's configuration. Errors: usage, with file, key and value.
[[nodiscard]] core::Result<Options> configured(const hconf::Config& config, const hconf::NameService& service,
                                               const hrpc::Credentials& credentials);
// The default file system of the configuration (fs.defaultFS).
[[nodiscard]] core::Result<Options> configured(const hconf::Config& config, const hrpc::Credentials& credentials);

}  // namespace ydl::hdfs

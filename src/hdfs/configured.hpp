#pragma once

#include "core/result.hpp"
#include "hconf/config.hpp"
#include "hconf/services.hpp"
#include "hdfs/options.hpp"
#include "hrpc/configured.hpp"

namespace ydl::hdfs {

// A file system as Hadoop's configuration has it. Errors: usage, naming file, key and value.
[[nodiscard]] core::Result<Options> configured(const hconf::Config& config, const hconf::NameService& service,
                                               const hrpc::Credentials& credentials);
// The default file system of the configuration (fs.defaultFS).
[[nodiscard]] core::Result<Options> configured(const hconf::Config& config, const hrpc::Credentials& credentials);

}  // namespace ydl::hdfs

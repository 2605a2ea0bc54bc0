#pragma once

#include "core/result.hpp"
#include "core/user.hpp"
#include "hconf/config.hpp"
#include "hconf/site_file.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ydl::hconf {

[[nodiscard]] core::Result<std::string> read_config_file(const std::filesystem::path& path);

// The search for the folder with Hadoop's configuration.
struct Search {
  std::optional<std::filesystem::path> found;  // the first folder with a core-site.xml or a yarn-site.xml
  // where it was searched, for messages: "HADOOP_CONF_DIR (not set)", "/etc/hadoop/conf"
  std::vector<std::string> looked;
};

// Searches HADOOP_CONF_DIR, $HADOOP_HOME/etc/hadoop and /etc/hadoop/conf, in this order.
[[nodiscard]] Search find_configuration(const core::Getenv& getenv = core::process_getenv,
                                        const ReadFile& read = read_config_file);

// Reads core-site.xml, hdfs-site.xml, hdfs-rbf-site.xml and yarn-site.xml of a folder, in this order. Missing files are
// skipped. Errors: corrupt, io; not_found when all are missing.
[[nodiscard]] core::Result<Config> load(const std::filesystem::path& folder,
                                        const core::Getenv& getenv = core::process_getenv,
                                        const ReadFile& read = read_config_file);

}  // namespace ydl::hconf

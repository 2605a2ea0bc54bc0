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

// Where Hadoop's configuration was looked for.
struct Search {
  std::optional<std::filesystem::path> found;  // the folder that holds a core-site.xml or a yarn-site.xml
  std::vector<std::string> looked;             // for people: "HADOOP_CONF_DIR (not set)", "/etc/hadoop/conf"
};

// HADOOP_CONF_DIR, $HADOOP_HOME/etc/hadoop, /etc/hadoop/conf, in this order.
[[nodiscard]] Search find_configuration(const core::Getenv& getenv = core::process_getenv,
                                        const ReadFile& read = read_config_file);

// core-site.xml, hdfs-site.xml, hdfs-rbf-site.xml and yarn-site.xml of a folder, in this order; those that are not
// there do not count. Errors: corrupt, io; not_found when none is there.
[[nodiscard]] core::Result<Config> load(const std::filesystem::path& folder,
                                        const core::Getenv& getenv = core::process_getenv,
                                        const ReadFile& read = read_config_file);

}  // namespace ydl::hconf

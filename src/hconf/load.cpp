#include "hconf/load.hpp"

#include "core/files.hpp"

#include <array>

#include <fmt/format.h>

namespace ydl::hconf {
namespace {

constexpr auto kSiteFiles =
    std::to_array<const char*>({"core-site.xml", "hdfs-site.xml", "hdfs-rbf-site.xml", "yarn-site.xml"});

bool is_missing(const core::Error& error) {
  return error.code == std::errc::no_such_file_or_directory || error.code == std::errc::not_a_directory ||
         error.code == core::Errc::not_found;
}

// A file that exists but cannot be read counts as found, so that load() reports the reason.
bool has_configuration(const std::filesystem::path& folder, const ReadFile& read) {
  for (const auto* name : {"core-site.xml", "yarn-site.xml"}) {
    const auto text = read(folder / name);
    if (text || !is_missing(text.error())) return true;
  }
  return false;
}

}  // namespace

core::Result<std::string> read_config_file(const std::filesystem::path& path) {
  return core::read_file(path, std::size_t{16} << 20U);
}

Search find_configuration(const core::Getenv& getenv, const ReadFile& read) {
  Search search;
  const auto look = [&](std::string shown, const std::filesystem::path& folder) {
    search.looked.push_back(std::move(shown));
    if (!search.found && !folder.empty() && has_configuration(folder, read)) search.found = folder;
  };
  const auto conf = getenv("HADOOP_CONF_DIR");
  look(conf ? fmt::format("HADOOP_CONF_DIR={}", *conf) : "HADOOP_CONF_DIR (not set)", conf.value_or(""));
  if (const auto home = getenv("HADOOP_HOME"); home && !search.found) {
    look(*home + "/etc/hadoop", std::filesystem::path(*home) / "etc/hadoop");
  }
  if (!search.found) look("/etc/hadoop/conf", "/etc/hadoop/conf");
  return search;
}

core::Result<Config> load(const std::filesystem::path& folder, const core::Getenv& getenv, const ReadFile& read) {
  Config config(getenv);
  bool is_any_there = false;
  for (const auto* name : kSiteFiles) {
    const auto path = folder / name;
    const auto text = read(path);
    if (!text && is_missing(text.error())) continue;
    if (!text) return core::fail(text.error());
    const auto properties = parse_site_file(path, *text, read);
    if (!properties) return core::fail(properties.error());
    config.add(*properties);
    is_any_there = true;
  }
  if (!is_any_there) {
    return core::fail(core::Errc::not_found,
                      fmt::format("{} contains neither core-site.xml nor hdfs-site.xml nor yarn-site.xml; set "
                                  "HADOOP_CONF_DIR to the folder with Hadoop's configuration",
                                  folder.string()));
  }
  return config;
}

}  // namespace ydl::hconf

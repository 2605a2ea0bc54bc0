#include "cli/where.hpp"

#include "core/files.hpp"
#include "core/strings.hpp"

#include <optional>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

struct Search {
  std::vector<std::string> looked;
  std::optional<std::string> found;  // the folder whose yarn-site.xml names a ResourceManager
};

Search find_hadoop(const core::Getenv& getenv, const ReadFile& read_file) {
  std::vector<std::pair<std::string, std::string>> places;  // shown as, folder
  if (const auto conf = getenv("HADOOP_CONF_DIR"))
    places.emplace_back(fmt::format("HADOOP_CONF_DIR={}", *conf), *conf);
  else
    places.emplace_back("HADOOP_CONF_DIR (not set)", "");
  if (const auto home = getenv("HADOOP_HOME")) places.emplace_back(*home + "/etc/hadoop", *home + "/etc/hadoop");
  places.emplace_back("/etc/hadoop/conf", "/etc/hadoop/conf");
  Search search;
  for (const auto& [shown, folder] : places) {
    search.looked.push_back(shown);
    if (folder.empty()) continue;
    const auto text = read_file(folder + "/yarn-site.xml");
    if (text && text->find("yarn.resourcemanager.") != std::string::npos) {
      search.found = folder;
      return search;
    }
  }
  return search;
}

}  // namespace

core::Result<std::string> read_small_file(const std::string& path) {
  return core::read_file(path, std::size_t{16} << 20U);
}

core::Result<Where> choose_cluster(const std::string& wanted, const std::vector<std::string>& cluster_only,
                                   const core::Getenv& getenv, const ReadFile& read_file) {
  if (wanted == "yarn" || wanted == "ssh") {
    return core::fail(
        core::Errc::usage,
        fmt::format("--cluster {}: this version of ydl runs jobs on this machine only; use --cluster local", wanted));
  }
  if (!cluster_only.empty()) {
    return core::fail(core::Errc::usage,
                      fmt::format("{} only {} sense on a cluster, and the job would run on this machine: leave {} out",
                                  core::join(cluster_only, ", "), cluster_only.size() == 1 ? "makes" : "make",
                                  cluster_only.size() == 1 ? "it" : "them"));
  }
  if (wanted == "local") return Where{"local", "runs on this machine: --cluster local"};
  const auto search = find_hadoop(getenv, read_file);
  if (search.found) {
    return Where{
        "local",
        fmt::format("runs on this machine: {} names a YARN cluster, but this version of ydl does not run there yet",
                    *search.found)};
  }
  return Where{"local",
               fmt::format("runs on this machine: no Hadoop configuration in {}", core::join(search.looked, ", "))};
}

}  // namespace ydl::cli

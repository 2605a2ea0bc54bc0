#pragma once

#include "core/result.hpp"
#include "hconf/config.hpp"
#include "hconf/services.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

// The file systems that people name by URL.
namespace ydl::hconf {

// The mount table of a viewfs:// file system: the HDFS that each of its folders lies on.
class ViewFs {
 public:
  // "viewfs://TABLE/..."; without a name it is the table "default". Errors: usage, when the configuration has no links.
  [[nodiscard]] static core::Result<ViewFs> of(const Config& config, std::string_view uri);

  // Everything that a link leads to, as it is configured.
  [[nodiscard]] const std::vector<std::string>& targets() const { return targets_; }
  // "hdfs://ns/a/b" for an absolute path of the view. Errors: usage, when no link covers it.
  [[nodiscard]] core::Result<std::string> resolve(std::string_view path) const;

 private:
  std::string name_;
  std::map<std::string, std::string> links_;  // by folder of the view; "" is the whole view
  std::vector<std::string> targets_;
};

[[nodiscard]] bool is_view(std::string_view uri);

// "cluster" of "hdfs://cluster/path"; "" where there is none.
[[nodiscard]] std::string_view authority_of(std::string_view uri);

// The name services behind "hdfs://CLUSTER[/PATH]" (one; the default one without a name) and "viewfs://TABLE" (one for
// each HDFS that it mounts). A router is one name service. Errors: usage.
[[nodiscard]] core::Result<std::vector<NameService>> services_behind(const Config& config, std::string_view uri);

// The configuration as it counts for one name service: KEY.SERVICE stands in for KEY where it is set, for principals
// and protections.
[[nodiscard]] Config for_service(const Config& config, const NameService& service);

// The configuration with an HDFS as default file system. Where fs.defaultFS is a view, this is the one on which the
// folder `home` lies. Errors: usage.
struct HdfsDefault {
  Config config;
  std::string home;  // `home` as that HDFS names it
};
[[nodiscard]] core::Result<HdfsDefault> with_hdfs_default(Config config, const std::string& home);

}  // namespace ydl::hconf

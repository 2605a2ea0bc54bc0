#pragma once

#include "core/result.hpp"
#include "hconf/config.hpp"
#include "hconf/services.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

// File systems that users name by URL.
namespace ydl::hconf {

// The mount table of a viewfs:// file system: it maps folders of the view to folders of HDFS clusters.
class ViewFs {
 public:
  // Reads the table of "viewfs://TABLE/..."; without a name, the table "default". Errors: usage, when the configuration
  // has no links for it.
  [[nodiscard]] static core::Result<ViewFs> of(const Config& config, std::string_view uri);

  // The targets of all links, as configured.
  [[nodiscard]] const std::vector<std::string>& targets() const { return targets_; }
  // The address behind an absolute path of the view: "hdfs://ns/a/b". Errors: usage, when the path is not under any
  // link.
  [[nodiscard]] core::Result<std::string> resolve(std::string_view path) const;

 private:
  std::string name_;
  std::map<std::string, std::string> links_;  // by folder of the view; "" is the whole view
  std::vector<std::string> targets_;
};

[[nodiscard]] bool is_view(std::string_view uri);

// "cluster" for "hdfs://cluster/path"; "" if the authority is missing.
[[nodiscard]] std::string_view authority_of(std::string_view uri);

// The name services behind a URL: one for "hdfs://CLUSTER[/PATH]" (the default one if CLUSTER is empty), and one for
// each mounted HDFS for "viewfs://TABLE". A router of a federation counts as one name service. Errors: usage.
[[nodiscard]] core::Result<std::vector<NameService>> services_behind(const Config& config, std::string_view uri);

// The configuration for one name service: for principals and protections, KEY.SERVICE replaces KEY if it is set.
[[nodiscard]] Config for_service(const Config& config, const NameService& service);

// The configuration with an HDFS as default file system. If fs.defaultFS is a view, the HDFS of the folder `home` is
// chosen. Errors: usage.
struct HdfsDefault {
  Config config;
  std::string home;  // the path of `home` on that HDFS
};
[[nodiscard]] core::Result<HdfsDefault> with_hdfs_default(Config config, const std::string& home);

}  // namespace ydl::hconf

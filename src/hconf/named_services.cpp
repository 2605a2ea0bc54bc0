#include "hconf/named_services.hpp"

#include "core/strings.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace ydl::hconf {
namespace {

constexpr std::string_view kHdfs = "hdfs://";
constexpr std::string_view kView = "viewfs://";
constexpr std::string_view kDefaultFs = "fs.defaultFS";

std::unexpected<core::Error> usage(std::string message) {
  return core::fail(core::Errc::usage, std::move(message));
}

// Removes slashes at the end: "/a/b" for "/a/b/", "" for "/".
std::string_view without_end(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

}  // namespace

bool is_view(std::string_view uri) {
  return uri.starts_with(kView);
}

std::string_view authority_of(std::string_view uri) {
  const auto scheme = uri.find("://");
  if (scheme == std::string_view::npos) return {};
  const auto rest = uri.substr(scheme + 3);
  return rest.substr(0, rest.find('/'));
}

core::Result<ViewFs> ViewFs::of(const Config& config, std::string_view uri) {
  const auto name = authority_of(uri);
  const std::string table = name.empty() ? "default" : std::string(name);
  const auto prefix = fmt::format("fs.viewfs.mounttable.{}.", table);
  constexpr std::string_view kLink = "link.";
  ViewFs view;
  view.name_ = uri;
  for (const auto& key : config.keys_with(prefix + "link")) {
    const auto kind = std::string_view(key).substr(prefix.size());
    // linkMerge and linkNfly have several file systems, separated by commas.
    for (const auto& target : config.get_list(key)) view.targets_.push_back(target);
    const auto value = config.get_trimmed(key);
    if (kind.starts_with(kLink)) view.links_.emplace(without_end(kind.substr(kLink.size())), value);
    if (kind == "linkFallback" || kind == "linkMergeSlash") view.links_.emplace("", value);
  }
  if (view.targets_.empty()) {
    return usage(
        fmt::format("{} has no mount table: the configuration has no key that starts with {}link", uri, prefix));
  }
  return view;
}

core::Result<std::string> ViewFs::resolve(std::string_view path) const {
  for (auto folder = without_end(path);; folder = folder.substr(0, folder.rfind('/'))) {
    const auto link = links_.find(std::string(folder));
    if (link != links_.end()) return fmt::format("{}{}", without_end(link->second), path.substr(folder.size()));
    if (folder.find('/') == std::string_view::npos) break;
  }
  return usage(fmt::format("the mount table of {} has no link for {}", name_, core::printable(path)));
}

core::Result<std::vector<NameService>> services_behind(const Config& config, std::string_view uri) {
  std::vector<std::string> targets{std::string(uri)};
  if (is_view(uri)) {
    const auto view = ViewFs::of(config, uri);
    if (!view) return core::fail(view.error());
    targets = view->targets();
    std::erase_if(targets, [](const std::string& target) { return !target.starts_with(kHdfs); });
  }
  std::vector<NameService> services;
  for (const auto& target : targets) {
    if (!target.starts_with(kHdfs)) {
      return usage(
          fmt::format("'{}' is not an HDFS address; write hdfs://CLUSTER or viewfs://TABLE", core::printable(target)));
    }
    const auto authority = authority_of(target);
    auto service = authority.empty() ? default_name_service(config) : name_service(config, authority);
    if (!service) return core::fail(std::move(service).error().within(core::printable(target)));
    if (std::ranges::find(services, service->name, &NameService::name) == services.end())
      services.push_back(*std::move(service));
  }
  return services;
}

Config for_service(const Config& config, const NameService& service) {
  constexpr std::string_view kPrincipal = "dfs.namenode.kerberos.principal";
  constexpr std::string_view kPattern = "dfs.namenode.kerberos.principal.pattern";
  constexpr auto kKeys = std::to_array<std::string_view>(
      {kPattern, "dfs.datanode.kerberos.principal", "hadoop.rpc.protection", "dfs.data.transfer.protection"});
  Config own = config;
  const auto take_own = [&](std::string_view key) {
    const auto of_service = fmt::format("{}.{}", key, service.name);
    if (!config.is_set(of_service)) return false;
    own.set(key, config.get_trimmed(of_service));
    return true;
  };
  // A pattern has priority over a principal. The pattern for all services must not hide the principal of this service.
  if (take_own(kPrincipal) && config.is_set(kPattern)) own.set(kPattern, "");
  for (const auto key : kKeys) take_own(key);
  return own;
}

core::Result<HdfsDefault> with_hdfs_default(Config config, const std::string& home) {
  const auto uri = config.get_trimmed(kDefaultFs);
  if (!is_view(uri)) return HdfsDefault{std::move(config), home};
  const auto view = ViewFs::of(config, uri);
  const auto target = view ? view->resolve(home) : core::fail(view.error());
  if (!target)
    return core::fail(target.error().within(fmt::format("{} ({})", kDefaultFs, config.source_of(kDefaultFs))));
  if (!target->starts_with(kHdfs)) {
    return usage(fmt::format("{} is {}, which maps {} to {}, but ydl can only keep its files on an hdfs:// file system",
                             kDefaultFs, uri, home, *target));
  }
  const auto authority = authority_of(*target);
  config.set(kDefaultFs, fmt::format("{}{}", kHdfs, authority));
  return HdfsDefault{std::move(config), target->substr(kHdfs.size() + authority.size())};
}

}  // namespace ydl::hconf

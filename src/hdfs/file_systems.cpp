#include "hdfs/file_systems.hpp"

#include "hconf/named_services.hpp"
#include "hdfs/configured.hpp"

namespace ydl::hdfs {
namespace {

core::Result<FileSystems::Location> resolve_on(FileSystem& fs, std::string_view url) {
  auto path = fs.resolve(url);
  if (!path) return core::fail(path.error());
  return FileSystems::Location{&fs, *std::move(path)};
}

}  // namespace

FileSystems::FileSystems(net::asio::any_io_executor executor, FileSystem& home, hconf::Config config, Login login)
    : executor_(std::move(executor)), home_(home), config_(std::move(config)), login_(std::move(login)) {}

core::Result<FileSystems::Location> FileSystems::locate(std::string_view url) {
  const auto authority = hconf::authority_of(url);
  if (authority.empty()) return resolve_on(home_, url);
  const auto default_one = hconf::default_name_service(config_);
  if (!default_one) return core::fail(default_one.error());
  const auto named = hconf::services_behind(config_, url);
  if (!named) return core::fail(named.error());
  const auto& service = named->front();
  const auto path = url.substr(static_cast<std::size_t>(authority.end() - url.begin()));
  if (service.name == default_one->name) return resolve_on(home_, path.empty() ? "/" : path);
  auto found = others_.find(service.name);
  if (found == others_.end()) {
    auto options = configured(config_, service, {.user = login_.user, .tokens = login_.tokens});
    if (!options) return core::fail(options.error());
    found = others_.emplace(service.name, std::make_unique<FileSystem>(executor_, *std::move(options))).first;
  }
  return resolve_on(*found->second, path.empty() ? "/" : path);
}

void FileSystems::close() {
  for (const auto& [name, fs] : others_) fs->close();
}

}  // namespace ydl::hdfs

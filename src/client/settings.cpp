#include "client/settings.hpp"

#include "core/files.hpp"

#include <fmt/format.h>

namespace ydl::client {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> users_file(const core::Getenv& getenv) {
  if (const auto folder = getenv("XDG_CONFIG_HOME"); folder && folder->starts_with('/'))
    return fs::path(*folder) / "ydl/config.yaml";
  if (const auto home = getenv("HOME"); home && home->starts_with('/'))
    return fs::path(*home) / ".config/ydl/config.yaml";
  return std::nullopt;
}

core::Result<spec::Settings> load(const fs::path& path, const ReadSettings& read) {
  const auto text = read(path);
  if (!text) return core::fail(text.error());
  if (!*text) return spec::Settings{};
  return spec::parse_settings(**text, path.string());
}

}  // namespace

core::Result<std::optional<std::string>> read_settings_file(const fs::path& path) {
  constexpr std::size_t kLongest = std::size_t{1} << 20U;
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  auto text = core::read_file(path.string(), kLongest);
  if (!text) return core::fail(text.error());
  return *std::move(text);
}

core::Result<spec::Settings> load_settings(const core::Getenv& getenv, const ReadSettings& read) {
  auto sites = load(kSiteSettings, read);
  if (!sites) return sites;
  const auto path = users_file(getenv);
  if (!path) return sites;
  auto users = load(*path, read);
  if (!users) return users;
  return spec::merge(*std::move(users), *sites);
}

}  // namespace ydl::client

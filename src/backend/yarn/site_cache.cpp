#include "backend/yarn/site_cache.hpp"

#include "backend/yarn/staging_cache.hpp"
#include "core/sha256.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::backend {
namespace {

constexpr std::uint32_t kOthersEnter = 05;
constexpr std::uint32_t kOthersRead = 04;
// Includes the group bits: for an entry with an access control list HDFS shows the mask of the list there, so this also
// detects a named user with write permission.
constexpr std::uint32_t kOthersWrite = 022;
constexpr std::uint32_t kSticky = 01000;  // with this bit, users with write permission cannot replace files of others

std::string unreadable(const std::string& path, const hdfs::FileStatus& entry) {
  const auto needed = entry.is_directory() ? kOthersEnter : kOthersRead;
  if ((entry.permission & needed) == needed) return "";
  return fmt::format("{0} is not readable for all users (mode {1:o}): run `hdfs dfs -chmod {2} {0}`", path,
                     entry.permission, entry.is_directory() ? "o+rx" : "o+r");
}

std::string writable(const std::string& path, const hdfs::FileStatus& entry) {
  return fmt::format("users other than its owner can change {0} (mode {1:o}): run `hdfs dfs -chmod go-w {0}`", path,
                     entry.permission);
}

std::string owned_by_a_stranger(const std::string& path, const hdfs::FileStatus& entry, const std::string& owner) {
  return fmt::format(
      "{0} belongs to {1} and not to {2}: run `hdfs dfs -chown {2} {0}`, or name the owner of the cache in the "
      "settings "
      "(site_cache_owner)",
      path, entry.owner, owner);
}

// The key of a file of HDFS in HashMemory. A file that was replaced has another modification time.
std::string memory_key(const yarn::LocalResource& file) {
  core::Sha256 hash;
  hash.add(fmt::format("site {} {} {}", file.url, file.size, file.modified));
  return "site-" + hash.hex();
}

}  // namespace

std::string distrust_above(const std::string& path, const hdfs::FileStatus& folder, const SiteOwners& owners) {
  if (!folder.is_directory()) return fmt::format("{} is not a directory", path);
  if (folder.owner != owners.superuser && folder.owner != owners.cache)
    return owned_by_a_stranger(path, folder, owners.superuser);
  if ((folder.permission & kOthersWrite) != 0 && (folder.permission & kSticky) == 0) return writable(path, folder);
  return unreadable(path, folder);
}

std::string distrust_inside(const std::string& path, const hdfs::FileStatus& entry, const SiteOwners& owners) {
  if (entry.owner != owners.cache) return owned_by_a_stranger(path, entry, owners.cache);
  if ((entry.permission & kOthersWrite) != 0) return writable(path, entry);
  return unreadable(path, entry);
}

net::Async<SiteCache> look_at_site(hdfs::FileSystem& fs, SiteLocation location, std::string user) {
  const auto top = co_await fs.stat("/");
  if (!top) co_return core::fail(top.error());
  SiteCache site;
  site.owners.superuser = *top ? (*top)->owner : "";
  site.owners.cache = location.owner.empty() ? site.owners.superuser : location.owner;
  const auto refuse = [&](const std::string& reason) {
    site.note = fmt::format("the site's cache {} is not used: {}", location.root, reason);
    return site;
  };
  const auto folder = cache_folder(location.root);
  for (std::size_t end = 0; end != std::string::npos;) {
    const auto path = end == 0 ? std::string("/") : folder.substr(0, end);
    const auto status = co_await fs.stat(path);
    if (!status) co_return core::fail(status.error());
    if (!*status)
      co_return refuse(fmt::format("{} does not exist: its owner {} must create it", path, site.owners.cache));
    const bool inside = path.size() >= location.root.size();
    const auto reason =
        inside ? distrust_inside(path, **status, site.owners) : distrust_above(path, **status, site.owners);
    if (!reason.empty()) co_return refuse(reason);
    if (!(*status)->is_directory()) co_return refuse(fmt::format("{} is not a directory", path));
    end = path == folder ? std::string::npos : std::min(folder.find('/', end + 1), folder.size());
  }
  site.ours = site.owners.cache == user;
  site.trusted = true;
  co_return site;
}

net::Async<std::string> SiteFiles::hash_of(std::string path, std::stop_token stop) {
  auto reader = co_await fs_.open(path);
  if (!reader) co_return core::fail(reader.error());
  core::Sha256 hash;
  for (;;) {
    const auto piece = co_await reader->next();
    if (!piece) co_return core::fail(piece.error());
    if (piece->empty()) co_return hash.hex();
    if (stop.stop_requested())
      co_return core::fail(core::Errc::cancelled, fmt::format("the check of {} was interrupted", path));
    hash.add({piece->data(), piece->size()});
  }
}

net::Async<std::string> SiteFiles::distrust(const StagingItem& item, std::string path, const yarn::LocalResource& found,
                                            std::stop_token stop) {
  for (const auto& looked_at : {path.substr(0, path.rfind('/')), path}) {
    const auto status = co_await fs_.stat(looked_at);
    if (!status) co_return core::fail(status.error());
    if (!*status) co_return fmt::format("{} no longer exists", looked_at);
    const auto reason = distrust_inside(looked_at, **status, owners_);
    if (!reason.empty()) co_return reason;
  }
  const auto key = memory_key(found);
  auto known = memory_.find(key);
  if (!known) {
    auto hash = co_await hash_of(path, std::move(stop));
    if (!hash) co_return core::fail(hash.error());
    memory_.remember(key, *hash);
    known = *std::move(hash);
  }
  if (*known == item.sha256) co_return "";
  co_return fmt::format("the content of {0} does not match the hash in its path: run `hdfs dfs -rm {0}`", path);
}

void SiteFiles::remember(const StagingItem& item, const yarn::LocalResource& stored) {
  memory_.remember(memory_key(stored), item.sha256);
}

}  // namespace ydl::backend

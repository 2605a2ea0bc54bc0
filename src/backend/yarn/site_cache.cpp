#include "backend/yarn/site_cache.hpp"

#include "backend/yarn/staging_cache.hpp"

#include <fmt/format.h>

namespace ydl::backend {
namespace {

constexpr std::uint32_t kOthersEnter = 05;
constexpr std::uint32_t kOthersWrite = 022;  // the group too
constexpr std::uint32_t kSticky = 01000;     // who may write may still not replace what others have

}  // namespace

std::string distrust(const hdfs::FileStatus& folder) {
  if (!folder.is_directory()) return "is no directory";
  if ((folder.permission & kOthersEnter) != kOthersEnter) return "cannot be read by everybody (o+rx is missing)";
  if ((folder.permission & kOthersWrite) != 0 && (folder.permission & kSticky) == 0)
    return "can be changed by others than its owner";
  return "";
}

net::Async<SiteCache> look_at_site(hdfs::FileSystem& fs, const std::string& root, const std::string& user) {
  const auto folder = cache_folder(root);
  SiteCache site;
  for (std::size_t end = 0; end != std::string::npos;) {
    end = folder.find('/', end + 1);
    const auto path = folder.substr(0, end);
    const auto status = co_await fs.stat(path);
    if (!status) co_return core::fail(status.error());
    const auto reason = *status ? distrust(**status) : std::string("does not exist");
    if (!reason.empty()) {
      site.note = fmt::format("the site's cache {} is not used: {} {}", root, path, reason);
      co_return site;
    }
    site.ours = (*status)->owner == user;
  }
  site.trusted = true;
  co_return site;
}

}  // namespace ydl::backend

#include "spec/settings.hpp"

#include "spec/document.hpp"
#include "spec/fields.hpp"
#include "spec/problems.hpp"

#include <array>

#include <fmt/format.h>

namespace ydl::spec {
namespace {

constexpr std::array<std::string_view, 3> kKeys{"keep_jobs", "site_cache", "site_cache_owner"};

core::Result<> check_hdfs_folder(std::string_view path) {
  if (path.starts_with('/') && path.size() > 1) return check_path(path);
  return core::fail(
      core::Errc::usage,
      fmt::format("{} is not a folder in HDFS; write its full path, for example /apps/ydl", in_quotes(path)));
}

core::Result<> check_user_name(std::string_view name) {
  if (!name.empty() && name.find_first_of(" \t\n/@:") == std::string_view::npos) return {};
  return core::fail(core::Errc::usage,
                    fmt::format("{} is not the short name of a user, for example hdfs", in_quotes(name)));
}

}  // namespace

core::Result<Settings> parse_settings(std::string_view text, std::string_view file_name) {
  const auto root = parse_document(text, file_name);
  if (!root) return core::fail(root.error());
  if (root->kind == NodeKind::null) return Settings{};
  if (root->kind != NodeKind::map) {
    return core::fail(
        problem_at(file_name, root->at.line,
                   fmt::format("this must be a mapping, for example 'keep_jobs: 30d', not {}", describe(*root))));
  }
  Problems problems(file_name);
  const Fields fields(*root, "", kKeys, problems);
  Settings settings{fields.duration("keep_jobs", Zero::refused), fields.text("site_cache", check_hdfs_folder),
                    fields.text("site_cache_owner", check_user_name)};
  if (settings.keep_jobs && *settings.keep_jobs < kShortestKeep)
    fields.complain("keep_jobs", root->find("keep_jobs")->value, "this must be at least a day: 1d");
  if (!problems.empty()) return core::fail(problems.to_error());
  return settings;
}

Settings merge(Settings over, const Settings& under) {
  if (!over.keep_jobs) over.keep_jobs = under.keep_jobs;
  if (!over.site_cache) over.site_cache = under.site_cache;
  if (!over.site_cache_owner) over.site_cache_owner = under.site_cache_owner;
  return over;
}

}  // namespace ydl::spec

#include "backend/packing/file_tree.hpp"

#include "core/sha256.hpp"
#include "files/ignore_list.hpp"

#include <algorithm>
#include <cerrno>
#include <sys/stat.h>

#include <fmt/format.h>

namespace ydl::backend {
namespace {

namespace fs = std::filesystem;
using core::Result;

}  // namespace

core::Error cannot_read(const fs::path& path, int error) {
  auto failure = core::system_error(error, fmt::format("cannot read {}, which must be uploaded", path.string()));
  failure.message += "; make it readable, or name it in .ydlignore";
  return failure;
}

fs::path without_links(const fs::path& path) {
  std::error_code error;
  auto found = fs::weakly_canonical(path, error);
  return error ? path : found;
}

std::uint64_t FileTree::tar_size() const {
  std::uint64_t size = kTarEnd;
  for (const auto& entry : entries) size += tar_header(entry.tar).size() + entry.tar.size + tar_padding(entry.tar.size);
  return size;
}

std::string FileTree::key() const {
  core::Sha256 hash;
  for (const auto& entry : entries) {
    hash.add(tar_header(entry.tar));
    if (entry.tar.kind == TarEntry::Kind::file) hash.add(entry.text ? *entry.text : entry.stamp.key());
  }
  return hash.hex();
}

bool FileTree::is_settled(core::WallTime now) const {
  return std::ranges::all_of(entries, [&](const TreeEntry& entry) {
    return entry.tar.kind != TarEntry::Kind::file || entry.text || entry.stamp.is_settled(now);
  });
}

TreeReader::TreeReader(std::function<bool(const fs::path&)> is_member, std::uint64_t most_bytes)
    : is_member_(std::move(is_member)), most_bytes_(most_bytes) {}

FileTree TreeReader::take() && {
  std::ranges::sort(tree_.entries, {}, [](const TreeEntry& entry) -> const std::string& { return entry.tar.name; });
  return std::move(tree_);
}

Result<> TreeReader::add(const fs::path& source, const std::string& name) {
  struct stat status{};
  if (::lstat(source.c_str(), &status) != 0) return core::fail(cannot_read(source, errno));
  return S_ISLNK(status.st_mode) && !name.empty() ? add_link(source, name) : add_target(source, name);
}

Result<> TreeReader::add_link(const fs::path& source, const std::string& name) {
  std::error_code error;
  const auto target = fs::read_symlink(source, error);
  if (error) return core::fail(cannot_read(source, error.value()));
  struct stat status{};
  const bool leads_somewhere = ::stat(source.c_str(), &status) == 0;
  const bool leads_up = leads_somewhere && above_.contains({status.st_dev, status.st_ino});
  const auto in_archive = (fs::path(name).parent_path() / target).lexically_normal();
  const bool stays =
      target.is_relative() && *in_archive.begin() != ".." && is_member_(fs::weakly_canonical(source, error)) && !error;
  if (leads_somewhere && !leads_up && !stays) return add_target(source, name);
  tree_.entries.push_back({{name, TarEntry::Kind::link, 0777, 0, target.string()}, source, {}});
  return {};
}

Result<> TreeReader::add_target(const fs::path& source, const std::string& name) {
  struct stat status{};
  if (::stat(source.c_str(), &status) != 0) return core::fail(cannot_read(source, errno));
  const auto mode = static_cast<std::uint32_t>(status.st_mode) & 0777U;
  if (S_ISDIR(status.st_mode)) {
    if (!name.empty()) tree_.entries.push_back({{name, TarEntry::Kind::directory, mode, 0, {}}, source, {}});
    return add_folder(source, name, {status.st_dev, status.st_ino});
  }
  if (!S_ISREG(status.st_mode)) return {};
  const auto stamp = stamp_of(status);
  tree_.entries.push_back({{name, TarEntry::Kind::file, mode, stamp.size, {}}, source, stamp});
  tree_.bytes += stamp.size;
  if (tree_.bytes <= most_bytes_) return {};
  return core::fail(core::Errc::no_capacity, fmt::format("{} is too large to upload", source.string()));
}

Result<> TreeReader::add_folder(const fs::path& source, const std::string& name, Identity self) {
  above_.insert(self);
  Result<> result;
  std::error_code error;
  for (fs::directory_iterator entry(source, error); !error && entry != fs::directory_iterator() && result;
       entry.increment(error)) {
    const auto file_name = entry->path().filename().string();
    if (files::IgnoreList::never_read(file_name)) continue;
    result = add(entry->path(), name.empty() ? file_name : fmt::format("{}/{}", name, file_name));
  }
  above_.erase(self);
  if (error) return core::fail(cannot_read(source, error.value()));
  return result;
}

}  // namespace ydl::backend

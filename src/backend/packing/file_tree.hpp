#pragma once

#include "backend/packing/file_stamp.hpp"
#include "backend/packing/tar_format.hpp"
#include "core/paths.hpp"
#include "core/result.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ydl::backend {

// One member of a tree that is packed: what the archive says about it and where its content is.
struct TreeEntry {
  TarEntry tar;
  std::filesystem::path source;
  FileStamp stamp;
};

// Files and folders as they are packed: in one order, whatever the file system's own.
struct FileTree {
  std::vector<TreeEntry> entries;  // by name
  std::uint64_t bytes = 0;         // of all contents

  // Of the archive that holds it.
  [[nodiscard]] std::uint64_t tar_size() const;
  // What stands for the archive's bytes as long as no stamp changes.
  [[nodiscard]] std::string key() const;
  [[nodiscard]] bool is_settled(core::WallTime now) const;
};

// Something that is to travel cannot: "cannot read …", and what to do.
[[nodiscard]] core::Error cannot_read(const std::filesystem::path& path, int error);

// A path without links in it, as far as it exists.
[[nodiscard]] std::filesystem::path without_links(const std::filesystem::path& path);
using core::lies_in;

// Reads trees from the disk, names and sizes only.
//
// Links: one that leads to another member is packed as it is. One that leads elsewhere would lead nowhere on another
// host, so what it leads to is packed in its place; one that leads nowhere already stays as it is. Sockets, pipes and
// devices are left out, and so are the folders that no program reads (IgnoreList::never_read).
class TreeReader {
 public:
  // `is_member`: whether the archive has what lies at a path (without links in it). `most_bytes`: of contents.
  TreeReader(std::function<bool(const std::filesystem::path&)> is_member, std::uint64_t most_bytes);

  // A file, or a folder with all that is in it, as the member `name`; with an empty name a folder's entries become the
  // archive's. Errors: it cannot be read; no_capacity (more than `most_bytes`).
  [[nodiscard]] core::Result<> add(const std::filesystem::path& source, const std::string& name);

  [[nodiscard]] FileTree take() &&;

 private:
  using Identity = std::pair<std::uint64_t, std::uint64_t>;  // device and inode

  [[nodiscard]] core::Result<> add_link(const std::filesystem::path& source, const std::string& name);
  [[nodiscard]] core::Result<> add_target(const std::filesystem::path& source, const std::string& name);
  [[nodiscard]] core::Result<> add_folder(const std::filesystem::path& source, const std::string& name, Identity self);

  std::function<bool(const std::filesystem::path&)> is_member_;
  std::uint64_t most_bytes_;
  FileTree tree_;
  std::set<Identity> above_;  // the folders that the one being read lies in
};

}  // namespace ydl::backend

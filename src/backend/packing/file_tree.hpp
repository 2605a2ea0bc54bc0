#pragma once

#include "backend/packing/file_stamp.hpp"
#include "backend/packing/tar_format.hpp"
#include "core/paths.hpp"
#include "core/result.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ydl::backend {

// A member of a tree to pack: its entry in the archive and the path of its content.
struct TreeEntry {
  TarEntry tar;
  std::filesystem::path source;
  FileStamp stamp;
  std::optional<std::string> text = std::nullopt;  // the content, if it is not that of `source`
};

// Files and folders to pack, always in the same order.
struct FileTree {
  std::vector<TreeEntry> entries;  // by name
  std::uint64_t bytes = 0;         // of all contents

  // The size of the archive.
  [[nodiscard]] std::uint64_t tar_size() const;
  // A key for the bytes of the archive, which is valid as long as no stamp changes.
  [[nodiscard]] std::string key() const;
  [[nodiscard]] bool is_settled(core::WallTime now) const;
};

// The error for a file that cannot be uploaded: "cannot read …", with the remedy.
[[nodiscard]] core::Error cannot_read(const std::filesystem::path& path, int error);

// The path without links, as far as it exists.
[[nodiscard]] std::filesystem::path without_links(const std::filesystem::path& path);
using core::lies_in;

// Reads trees from the disk, names and sizes only.
//
// A link to another member is packed as a link. A link to a path outside would be broken on another host, so its target
// is packed instead. A broken link is packed as it is. Sockets, pipes and devices are left out, and so are folders that
// no program reads (IgnoreList::never_read).
class TreeReader {
 public:
  // `is_member`: whether the archive contains a path (without links). `most_bytes`: the limit of all contents.
  TreeReader(std::function<bool(const std::filesystem::path&)> is_member, std::uint64_t most_bytes);

  // Adds a file, or a folder with its contents, as the member `name`. With an empty name the entries of a folder are
  // added at the top level. Errors: it cannot be read; no_capacity (more than `most_bytes`).
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
  std::set<Identity> above_;  // the parents of the folder that is being read
};

}  // namespace ydl::backend

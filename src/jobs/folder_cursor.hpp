#pragma once

#include "core/files.hpp"

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ydl::jobs {

// A position in a tree of folders of any depth. It moves on descriptors of folders, at most three at a time: a tree may
// be deeper than the longest path and than the number of descriptors, and no name on the way can be exchanged for a
// symbolic link meanwhile.
class FolderCursor {
 public:
  // For deletion, a folder that its owner may not read or change gets the owner's permissions first.
  enum class Open { as_it_is, writable };

  // At the folder `name` in `parent`. Nothing: it cannot be opened (errno), or is not a folder.
  [[nodiscard]] static std::optional<FolderCursor> at(int parent, const std::string& name, Open open);

  [[nodiscard]] int fd() const { return fd_.get(); }
  // What is in the folder, in no particular order.
  [[nodiscard]] std::vector<std::string> names() const;
  // Moves into a folder of this one. False (errno): the cursor stays.
  [[nodiscard]] bool enter(const std::string& name);
  // Moves back to the folder that it came from. False (errno): another process has moved the folder meanwhile.
  [[nodiscard]] bool leave();

 private:
  struct Identity {
    dev_t device;
    ino_t inode;
    bool operator==(const Identity&) const = default;
  };

  FolderCursor(core::UniqueFd fd, Open open) : fd_(std::move(fd)), open_(open) {}
  [[nodiscard]] static core::UniqueFd open_folder(int parent, const std::string& name, Open open);
  [[nodiscard]] static std::optional<Identity> identity(int fd);

  core::UniqueFd fd_;
  Open open_;
  std::vector<Identity> parents_;  // up to the folder where it began
};

}  // namespace ydl::jobs

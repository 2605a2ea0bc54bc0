#pragma once

#include "core/result.hpp"
#include "hdfs/types.hpp"
#include "net/asio.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>

namespace ydl::cli {

struct CopiedTree {
  std::int64_t files = 0;  // links are counted too
  std::uint64_t bytes = 0;
};

// Copies what is in a folder of this machine into another, which is made. A file that cannot be copied is reported and
// does not stop the others; one that is there already is replaced only with Overwrite::yes (LocalTarget). Links are
// copied as links and never followed. Pipes, sockets and devices are left out and reported.
// Errors: the folder cannot be read, or the other one not made.
[[nodiscard]] net::Async<CopiedTree> copy_tree(std::filesystem::path from, std::filesystem::path to,
                                               hdfs::Overwrite overwrite,
                                               std::function<void(const core::Error&)> report);

}  // namespace ydl::cli

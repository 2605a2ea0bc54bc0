#pragma once

#include "core/result.hpp"
#include "hdfs/types.hpp"
#include "net/asio.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ydl::cli {

struct CopiedTree {
  std::int64_t files = 0;  // including links
  std::uint64_t bytes = 0;
};

// Copies the content of a local folder to another one, which is created. A file that cannot be copied is reported, and
// the others are still copied. An existing file is replaced only with Overwrite::yes (LocalTarget). Links are copied as
// links and never followed. Pipes, sockets and devices are skipped and reported. Errors: the folder cannot be read, or
// the other one cannot be created.
[[nodiscard]] net::Async<CopiedTree> copy_tree(std::filesystem::path from, std::filesystem::path to,
                                               hdfs::Overwrite overwrite,
                                               std::function<void(const core::Error&)> report);

// Copies the named files of a folder to the same names below another one; the rest as above. The names are relative,
// without "..".
[[nodiscard]] net::Async<CopiedTree> copy_files_of(std::filesystem::path from, std::filesystem::path to,
                                                   std::vector<std::string> names, hdfs::Overwrite overwrite,
                                                   std::function<void(const core::Error&)> report);

}  // namespace ydl::cli

#pragma once

#include "core/result.hpp"
#include "hdfs/types.hpp"
#include "net/asio.hpp"

#include <filesystem>
#include <functional>

namespace ydl::cli {

// Copies what is in a folder of this machine into another, which is made. A file that cannot be copied is reported and
// does not stop the others; one that is there already is replaced only with Overwrite::yes (LocalTarget). Links are
// followed, except one that leads to a folder it lies in.
// Errors: the folder cannot be read, or the other one not made.
[[nodiscard]] net::Async<> copy_tree(std::filesystem::path from, std::filesystem::path to, hdfs::Overwrite overwrite,
                                     std::function<void(const core::Error&)> report);

}  // namespace ydl::cli

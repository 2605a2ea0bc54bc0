#include "libhdfs/install.hpp"

#include "core/files.hpp"
#include "core/private_directory.hpp"
#include "core/sha256.hpp"
#include "core/temporary_names.hpp"

#include <cerrno>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::libhdfs {
namespace {

namespace fs = std::filesystem;

std::string folder_name(const fs::path& program) {
  core::Sha256 hash;
  hash.add(library());
  hash.add(empty_jvm());
  hash.add(program.string());
  return hash.hex().substr(0, 16);
}

core::Result<> write_if_other(const fs::path& file, std::string_view content) {
  if (const auto old = core::read_file(file, content.size() + 1); old && *old == content) return {};
  return core::write_file_atomically(file, content, 0700);
}

core::Result<> link_if_other(const fs::path& link, const fs::path& target) {
  std::error_code error;
  if (fs::read_symlink(link, error) == target && !error) return {};
  const auto temporary = core::temporary_name(link.string());
  if (::symlink(target.c_str(), temporary.c_str()) != 0 || ::rename(temporary.c_str(), link.c_str()) != 0)
    return core::fail(core::system_error(errno, fmt::format("cannot create {}", link.string())));
  return {};
}

}  // namespace

core::Result<fs::path> install_library(const fs::path& root, const fs::path& program) {
  const auto folder = root / "libhdfs" / folder_name(program);
  for (const auto& part : {folder, folder / "lib" / "native", folder / "bin", folder / "java" / "lib" / "server"}) {
    if (auto made = core::make_private_directory(part); !made) return core::fail(made.error());
  }
  if (auto linked = link_if_other(folder / "bin" / "ydl", program); !linked) return core::fail(linked.error());
  if (auto written = write_if_other(folder / "java" / "lib" / "server" / "libjvm.so", empty_jvm()); !written)
    return core::fail(written.error());
  if (auto written = write_if_other(folder / "lib" / "native" / "libhdfs.so", library()); !written)
    return core::fail(written.error());
  return folder;
}

core::Result<fs::path> this_program() {
  std::error_code error;
  auto path = fs::read_symlink("/proc/self/exe", error);
  if (!error && fs::exists(path, error)) return path;
  return core::fail(core::Errc::io, "cannot find the file of this program: it was deleted or replaced; start it again");
}

core::Result<fs::path> user_cache(const core::Getenv& getenv) {
  if (const auto cache = getenv("XDG_CACHE_HOME"); cache && cache->starts_with('/')) return fs::path(*cache) / "ydl";
  const auto home = core::home_directory(getenv);
  if (!home) return core::fail(core::Errc::usage, "there is no home directory: set HOME or XDG_CACHE_HOME");
  return *home / ".cache" / "ydl";
}

}  // namespace ydl::libhdfs

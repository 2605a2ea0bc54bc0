#include "cli/fs/local_target.hpp"

#include "cli/fs/fs_copy.hpp"
#include "core/strings.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

namespace ydl::cli {
namespace {

namespace files = std::filesystem;
using core::fail;

constexpr core::Millis kReaderPeriod{50};  // how often to check whether a pipe has a reader

// Unlike rename(2), it does not replace an existing file. On file systems without support for it, only the check in
// open() applies.
int rename_to_new_name(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  return ::rename(from.c_str(), to.c_str());
}

}  // namespace

LocalTarget::LocalTarget(net::asio::any_io_executor executor, std::string path, hdfs::Overwrite overwrite)
    : executor_(std::move(executor)), path_(std::move(path)), overwrite_(overwrite) {}

LocalTarget::~LocalTarget() {
  if (!unfinished_.empty()) ::unlink(unfinished_.c_str());
}

core::Error LocalTarget::exists() const {
  return {core::Errc::exists, fmt::format("{} already exists on this machine; replace it with -f", path_)};
}

core::Error LocalTarget::stopped() const {
  return {core::Errc::cancelled, fmt::format("writing {} was interrupted", path_)};
}

net::Async<> LocalTarget::open() {
  if (stopped_) co_return fail(stopped());
  std::error_code error;
  const auto name = files::symlink_status(path_, error);
  const auto target = files::status(path_, error);
  if (files::is_other(target) || files::is_character_file(target) || files::is_block_file(target) ||
      files::is_fifo(target) || files::is_socket(target)) {
    co_return co_await open_stream();
  }
  if (files::exists(name) && overwrite_ == hdfs::Overwrite::no) co_return fail(exists());
  // A link is kept, and its target file is replaced.
  if (files::is_symlink(name) && files::exists(target)) path_ = files::canonical(path_, error).string();
  co_return open_file();
}

core::Result<> LocalTarget::open_file() {
  const files::path path(path_);
  auto name = (path.parent_path() / unfinished_name(".", path.filename().string(), "." + core::random_hex(4))).string();
  file_ = core::UniqueFd(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file_) return fail(core::system_error(errno, "creating " + name));
  unfinished_ = std::move(name);
  return {};
}

net::Async<> LocalTarget::open_stream() {
  for (;;) {
    if (stopped_) co_return fail(stopped());
    // Without O_NONBLOCK, open() would block until the pipe has a reader, and Ctrl-C would not be handled.
    core::UniqueFd fd(::open(path_.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (fd) {
      descriptor_ = std::make_unique<net::asio::posix::stream_descriptor>(executor_, fd.release());
      co_return core::Result<>{};
    }
    if (errno != ENXIO && errno != EINTR) co_return fail(core::system_error(errno, "opening " + path_));
    co_await net::pause(kReaderPeriod);
  }
}

net::Async<> LocalTarget::write(std::string_view bytes) {
  if (stopped_) co_return fail(stopped());
  if (descriptor_ == nullptr) {
    auto written = core::write_all(file_.get(), bytes);
    if (!written) co_return fail(core::Error(written.error()).within("writing " + path_));
    co_return core::Result<>{};
  }
  const auto [error, size] =
      co_await net::asio::async_write(*descriptor_, net::asio::buffer(bytes.data(), bytes.size()), net::tuple);
  if (stopped_) co_return fail(stopped());
  if (error) co_return fail(core::system_error(error.value(), "writing " + path_));
  co_return core::Result<>{};
}

core::Result<> LocalTarget::finish() {
  if (descriptor_ != nullptr) return {};
  const int renamed = overwrite_ == hdfs::Overwrite::yes ? ::rename(unfinished_.c_str(), path_.c_str())
                                                         : rename_to_new_name(unfinished_, path_);
  if (renamed != 0 && errno == EEXIST) return fail(exists());
  if (renamed != 0) return fail(core::system_error(errno, fmt::format("renaming {} to {}", unfinished_, path_)));
  unfinished_.clear();
  return {};
}

void LocalTarget::stop() {
  stopped_ = true;
  if (descriptor_ != nullptr) descriptor_->cancel();
}

}  // namespace ydl::cli

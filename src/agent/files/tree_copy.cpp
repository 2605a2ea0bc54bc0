#include "agent/files/tree_copy.hpp"

#include "core/files.hpp"
#include "core/log.hpp"
#include "core/sha256.hpp"
#include "files/stored_names.hpp"
#include "hdfs/errors.hpp"
#include "hdfs/paths.hpp"
#include "hrpc/errors.hpp"
#include "net/for_each.hpp"

#include <algorithm>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::agent {

using ydl::files::kManifestName;
using ydl::files::original_name;
using ydl::files::stored_path;

namespace {

namespace files = std::filesystem;

constexpr std::size_t kBuffer = std::size_t{1} << 20U;
constexpr core::Millis kFirstPause = core::Seconds(1);
constexpr core::Millis kLongestPause = core::Seconds(15);

std::unexpected<core::Error> cancelled(std::string_view what) {
  return core::fail(core::Errc::cancelled,
                    fmt::format("{} was not copied completely, because the task was given up", what));
}

// Whether a retry may succeed.
bool may_pass(const core::Error& error) {
  if (error.code.category() == hdfs::error_category()) {
    return error.code != hdfs::Errc::unsupported && error.code != hdfs::Errc::no_replica;
  }
  if (error.code.category() != hrpc::error_category()) return false;
  switch (static_cast<hrpc::Errc>(error.code.value())) {
    case hrpc::Errc::unreachable:
    case hrpc::Errc::timed_out:
    case hrpc::Errc::connection_lost:
    case hrpc::Errc::standby:
    case hrpc::Errc::retriable:
    case hrpc::Errc::safe_mode:
    case hrpc::Errc::lease_conflict:
    case hrpc::Errc::lease_lost:
    case hrpc::Errc::not_yet_replicated:
      return true;
    default:
      return false;
  }
}

// ---- up --------------------------------------------------------------------------------------------------------

net::Async<> write_bytes(Copying& copying, const files::path& path, hdfs::FileWriter& writer, StoredFile& stored) {
  const core::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) co_return core::fail(core::system_error(errno, fmt::format("cannot read {}", path.string())));
  const auto buffer = std::make_unique_for_overwrite<char[]>(kBuffer);
  core::Sha256 digest;
  stored.size = 0;
  while (!copying.cancelled) {
    const auto n = ::read(file.get(), buffer.get(), kBuffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) co_return core::fail(core::system_error(errno, fmt::format("cannot read {}", path.string())));
    if (n == 0) {
      stored.sha256 = digest.hex();
      co_return co_await writer.close();
    }
    const auto size = static_cast<std::size_t>(n);
    digest.add({buffer.get(), size});
    if (auto written = co_await writer.write({buffer.get(), size}); !written) co_return written;
    stored.size += size;
    copying.bytes += size;
  }
  co_return cancelled(path.string());
}

struct Upload {
  hdfs::FileSystem& fs;
  files::path from;
  std::string to;
  std::uint32_t mode = 0;
  Copying& copying;
};

net::Async<> upload_once(const Upload& upload, StoredFile& stored) {
  auto writer = co_await upload.fs.create(
      upload.to, {.overwrite = hdfs::Overwrite::yes, .mode = upload.mode, .replication = {}, .block_size = {}});
  if (!writer) co_return core::fail(writer.error());
  co_return co_await write_bytes(upload.copying, upload.from, *writer, stored);
}

// ---- down ------------------------------------------------------------------------------------------------------

net::Async<> download_once(hdfs::FileSystem& fs, const RemoteFile& file, Copying& copying) {
  auto reader = co_await fs.open(file.from);
  if (!reader) co_return core::fail(reader.error());
  const auto what = fmt::format("cannot write {}", file.to.string());
  const core::UniqueFd out(::open(file.to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!out) co_return core::fail(core::system_error(errno, what));
  while (!copying.cancelled) {
    const auto data = co_await reader->next();
    if (!data) co_return core::fail(data.error());
    if (data->empty()) {
      if ((file.mode & 0111U) != 0) (void)::fchmod(out.get(), file.mode & 0777U);  // keep programs executable
      co_return core::Result<>{};
    }
    if (auto written = core::write_all(out.get(), {data->data(), data->size()}); !written) {
      co_return core::fail(written.error().within(what));
    }
    copying.bytes += data->size();
  }
  co_return cancelled(file.from);
}

// Creates the directories below `from` as needed.
net::Async<> plan_download(hdfs::FileSystem& fs, std::string from, files::path to, Names names,
                           std::vector<RemoteFile>& plan) {
  if (auto made = core::make_directories(to); !made) co_return core::fail(made.error());
  auto entries = co_await fs.list_all(from);
  if (!entries) co_return core::fail(entries.error());
  for (const auto& entry : *entries) {
    if (names == Names::stored && entry.name == kManifestName) continue;
    const auto name = names == Names::stored ? original_name(entry.name) : entry.name;
    if (!name) {
      core::log("skipping {} in {}: that is not the name of a saved file", entry.name, from);
      continue;
    }
    const auto child = hdfs::join_path(from, entry.name);
    if (!entry.is_directory()) {
      plan.push_back({child, to / *name, entry.permission});
    } else if (auto planned = co_await plan_download(fs, child, to / *name, names, plan); !planned) {
      co_return planned;
    }
  }
  co_return core::Result<>{};
}

}  // namespace

net::Async<> persist(std::function<net::Async<>()> work, Copying& copying) {
  auto pause = kFirstPause;
  std::optional<core::Instant> give_up;
  for (;;) {
    auto done = co_await work();
    if (done || copying.cancelled || !may_pass(done.error())) co_return done;
    if (!give_up) {
      core::log("retrying: {}", done.error().message);
      if (copying.on_wait) copying.on_wait(done.error());
      give_up = core::steady_now() + copying.patience;
    }
    if (core::steady_now() + pause > *give_up) co_return done;
    co_await net::pause(pause);
    pause = std::min(pause * 2, kLongestPause);
  }
}

namespace {

// Only links can lead out of the folder. A link to itself, or to a target that cannot be read, counts as a link to
// nothing.
bool leads_inside(const files::directory_entry& entry, const files::path& home) {
  std::error_code error;
  if (!entry.is_symlink(error)) return true;
  const auto target = files::canonical(entry.path(), error);
  return !error && *target.lexically_relative(home).begin() != "..";
}

}  // namespace

core::Result<LocalTree> list_tree(const files::path& root) {
  LocalTree tree;
  std::error_code error;
  if (!files::exists(root, error)) return tree;
  const auto home = files::canonical(root, error);
  files::recursive_directory_iterator entry(home, error);
  for (; !error && entry != files::recursive_directory_iterator(); entry.increment(error)) {
    const auto path = entry->path().lexically_relative(home).string();
    std::error_code unknown;
    if (entry->symlink_status(unknown).type() == files::file_type::directory) {
      tree.directories.push_back(path);
      continue;
    }
    struct stat status{};
    if (leads_inside(*entry, home) && ::stat(entry->path().c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
      tree.files.push_back({path, static_cast<std::uint64_t>(status.st_size), status.st_mode & 0777U});
    } else {
      tree.left_out.push_back(path);
    }
  }
  if (error) {
    return core::fail(core::Error{error, fmt::format("cannot read the folder {}: {}", root.string(), error.message())});
  }
  return tree;
}

net::Async<StoredFile> upload_file(hdfs::FileSystem& fs, files::path from, std::string to, std::uint32_t mode,
                                   Copying& copying) {
  StoredFile stored;
  const Upload upload{fs, std::move(from), std::move(to), mode, copying};
  auto done = co_await persist([&] { return upload_once(upload, stored); }, copying);
  if (!done) co_return core::fail(done.error());
  co_return stored;
}

net::Async<> download_file(hdfs::FileSystem& fs, RemoteFile file, Copying& copying) {
  co_return co_await persist([&] { return download_once(fs, file, copying); }, copying);
}

net::Async<std::vector<StoredFile>> upload_tree(hdfs::FileSystem& fs, files::path from, LocalTree tree, std::string to,
                                                Copying& copying) {
  for (const auto& directory : tree.directories) {
    const auto path = hdfs::join_path(to, stored_path(directory));
    auto made = co_await persist([&] { return fs.make_directory(path, hdfs::Parents::create); }, copying);
    if (!made) co_return core::fail(made.error());
  }
  std::vector<StoredFile> stored;
  std::vector<Upload> uploads;
  for (const auto& file : tree.files) {
    stored.push_back({stored_path(file.path), 0, {}});
    uploads.push_back({fs, from / file.path, hdfs::join_path(to, stored.back().path), file.mode, copying});
  }
  const auto one = [&](std::size_t i) {
    return persist([&, i] { return upload_once(uploads[i], stored[i]); }, copying);
  };
  if (auto done = co_await net::for_each(tree.files.size(), kCopiedAtATime, one); !done)
    co_return core::fail(done.error());
  co_return stored;
}

net::Async<> download_tree(hdfs::FileSystem& fs, std::string from, files::path to, Names names, Copying& copying) {
  std::vector<RemoteFile> plan;
  const auto status = co_await fs.stat(from);
  if (!status) co_return core::fail(status.error());
  if (!*status) co_return core::fail(hrpc::Errc::not_found, fmt::format("{}: no such file or directory", from));
  if ((*status)->is_directory()) {
    if (auto planned = co_await plan_download(fs, from, to, names, plan); !planned) co_return planned;
  } else {
    if (auto made = core::make_directories(to.parent_path()); !made) co_return core::fail(made.error());
    plan.push_back({from, to, (*status)->permission});
  }
  const auto one = [&](std::size_t i) { return download_file(fs, plan[i], copying); };
  co_return co_await net::for_each(plan.size(), kCopiedAtATime, one);
}

}  // namespace ydl::agent

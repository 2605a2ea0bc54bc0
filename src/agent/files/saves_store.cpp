#include "agent/files/saves_store.hpp"

#include "core/assert.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"
#include "files/stored_names.hpp"
#include "hdfs/paths.hpp"
#include "net/for_each.hpp"

#include <array>
#include <fcntl.h>
#include <map>
#include <set>
#include <sys/stat.h>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

constexpr std::size_t kLargestManifest = std::size_t{64} << 20U;

std::string manifest_in(const std::string& folder) {
  return hdfs::join_path(folder, files::kManifestName);
}

net::Async<> write_manifest(hdfs::FileSystem& fs, const std::string& folder, const SaveManifest& manifest) {
  const auto unfinished = hdfs::join_path(folder, fmt::format(".manifest-{}", manifest.attempt.attempt));
  auto writer =
      co_await fs.create(unfinished, {.overwrite = hdfs::Overwrite::yes, .replication = {}, .block_size = {}});
  if (!writer) co_return core::fail(writer.error());
  if (auto written = co_await writer->write(manifest.to_json()); !written) co_return written;
  if (auto closed = co_await writer->close(); !closed) co_return closed;
  co_return co_await fs.rename(unfinished, manifest_in(folder), hdfs::Overwrite::yes);
}

void set_time(const std::filesystem::path& path, std::int64_t nanoseconds) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const timespec time{nanoseconds / kSecond, nanoseconds % kSecond};
  const std::array<timespec, 2> both{time, time};
  (void)::utimensat(AT_FDCWD, path.c_str(), both.data(), 0);  // if this fails, the file is uploaded once more
}

struct Transfer {
  hdfs::FileSystem& fs;
  const std::string& folder;
  Copying& copying;
};

net::Async<> fetch_one(const Transfer& transfer, const SavedFile& file, const std::filesystem::path& local) {
  const auto path = original_path(file.path);
  YDL_ASSERT(path);
  const auto to = local / *path;
  if (auto made = core::make_directories(to.parent_path()); !made) co_return core::fail(made.error());
  auto done = co_await download_file(transfer.fs, {hdfs::join_path(transfer.folder, file.stored), to, file.mode},
                                     transfer.copying);
  if (done) set_time(to, file.modified);
  co_return done;
}

net::Async<> upload_one(const Transfer& transfer, const SavePlan::Upload& upload, Uploaded& uploaded) {
  const auto& [file, saved] = upload;
  auto stored = co_await upload_file(transfer.fs, file.real, hdfs::join_path(transfer.folder, saved.stored), file.mode,
                                     transfer.copying);
  std::error_code error;
  if (!stored && !std::filesystem::exists(file.real, error)) co_return core::Result<>{};
  if (!stored) co_return core::fail(stored.error());
  if (stored->size == saved.size) uploaded = std::move(stored->sha256);
  co_return core::Result<>{};
}

}  // namespace

bool is_damaged(const core::Error& error) {
  return error.code == core::Errc::corrupt || error.code == core::Errc::refused;
}

bool is_newer(const SaveManifest& save, const std::optional<ResultsStamp>& results) {
  if (!results) return true;
  const auto finished = core::parse_utc(results->finished);
  return !finished || save.saved > *finished;
}

net::Async<std::optional<SaveManifest>> read_save(hdfs::FileSystem& fs, std::string folder) {
  const auto path = manifest_in(folder);
  const auto status = co_await fs.stat(path);
  if (!status) co_return core::fail(status.error());
  if (!*status) co_return std::nullopt;
  if ((*status)->length > kLargestManifest)
    co_return core::fail(core::Errc::corrupt, fmt::format("{} is larger than any manifest", path));
  auto reader = co_await fs.open(path);
  if (!reader) co_return core::fail(reader.error());
  std::string text(reader->length(), '\0');
  const auto n = co_await reader->read(text);
  if (!n) co_return core::fail(n.error());
  auto manifest = SaveManifest::from_json(std::string_view(text).substr(0, *n));
  if (!manifest) co_return core::fail(manifest.error().within(path));
  co_return *std::move(manifest);
}

StoredSave compare_save(const SaveManifest& manifest, const std::vector<hdfs::FileStatus>& entries) {
  StoredSave stored;
  std::map<std::string_view, std::uint64_t> there;
  for (const auto& entry : entries) {
    if (!entry.is_directory()) there.emplace(entry.name, entry.length);
    const auto number = number_of_save(entry.name);
    if (number && number->number >= manifest.next) stored.is_interrupted = true;
  }
  for (const auto& file : manifest.files) {
    const auto found = there.find(file.stored);
    if (found != there.end() && found->second == file.size) continue;
    stored.missing = file.stored;
    break;
  }
  return stored;
}

net::Async<StoredSave> check_save(hdfs::FileSystem& fs, std::string folder, SaveManifest manifest) {
  const auto entries = co_await fs.list_all(folder);
  if (!entries) co_return core::fail(entries.error());
  co_return compare_save(manifest, *entries);
}

net::Async<> fetch_save(hdfs::FileSystem& fs, std::string folder, SaveManifest manifest, std::filesystem::path local,
                        Copying& copying) {
  const Transfer transfer{fs, folder, copying};
  const auto one = [&](std::size_t i) { return fetch_one(transfer, manifest.files[i], local); };
  if (auto made = core::make_directories(local); !made) co_return core::fail(made.error());
  co_return co_await net::for_each(manifest.files.size(), kCopiedAtATime, one);
}

net::Async<std::vector<Uploaded>> upload_save(hdfs::FileSystem& fs, std::string folder,
                                              std::vector<SavePlan::Upload> uploads, Copying& copying) {
  std::vector<Uploaded> uploaded(uploads.size());
  const Transfer transfer{fs, folder, copying};
  const auto one = [&](std::size_t i) { return upload_one(transfer, uploads[i], uploaded[i]); };
  if (auto done = co_await net::for_each(uploads.size(), kCopiedAtATime, one); !done) {
    // HDFS may be full, so useless files are removed.
    for (const auto& upload : uploads)
      (void)co_await fs.remove(hdfs::join_path(folder, upload.saved.stored), hdfs::Recursive::no);
    co_return core::fail(done.error());
  }
  co_return uploaded;
}

net::Async<Replaced> replace_manifest(hdfs::FileSystem& fs, std::string folder, SaveManifest manifest,
                                      SaveManifest last, Copying& copying) {
  const auto there = co_await read_save(fs, folder);
  if (!there && !is_damaged(there.error())) co_return core::fail(there.error());
  if (there) {
    const auto current = there->value_or(SaveManifest{});
    if (current.attempt.attempt > manifest.attempt.attempt) co_return Replaced::has_successor;
    if (current != last) co_return Replaced::not_the_last;
  }
  const auto write = [&] { return write_manifest(fs, folder, manifest); };
  if (auto written = co_await persist(write, copying); !written) co_return core::fail(written.error());
  co_return Replaced::done;
}

net::Async<> remove_unnamed(hdfs::FileSystem& fs, std::string folder, SaveManifest manifest) {
  const auto entries = co_await fs.list_all(folder);
  if (!entries) co_return core::fail(entries.error());
  std::set<std::string_view> named;
  for (const auto& file : manifest.files) named.insert(file.stored);
  for (const auto& entry : *entries) {
    const auto number = number_of_save(entry.name);
    if (!number || number->attempt > manifest.attempt.attempt || named.contains(entry.name)) continue;
    const auto removed = co_await fs.remove(hdfs::join_path(folder, entry.name), hdfs::Recursive::no);
    if (!removed) co_return core::fail(removed.error());
  }
  co_return core::Result<>{};
}

net::Async<> remove_saves(hdfs::FileSystem& fs, std::string folder, int attempt) {
  const auto there = co_await read_save(fs, folder);
  if (there && *there && (*there)->attempt.attempt > attempt) co_return core::Result<>{};
  const auto removed = co_await fs.remove(folder, hdfs::Recursive::yes);
  if (!removed) co_return core::fail(removed.error());
  co_return core::Result<>{};
}

}  // namespace ydl::agent

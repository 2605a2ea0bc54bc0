#include "backend/yarn/staging_cache.hpp"

#include "core/sha256.hpp"
#include "core/strings.hpp"
#include "hrpc/errors.hpp"

#include <fmt/format.h>

namespace ydl::backend {
namespace {

using Visibility = yarn::LocalResource::Visibility;

constexpr std::uint32_t kReadableByAll = 0644;
constexpr std::uint32_t kFolderForAll = 0755;

// If dfs.replication.max is lower than the request, the NameNode reports that only in the text of its error.
bool refuses_replication(const core::Error& error) {
  return error.message.find("replication") != std::string::npos;
}

core::Error interrupted(const StagingItem& item) {
  return {core::Errc::cancelled, fmt::format("the upload of {} was interrupted", item.cache_name)};
}

}  // namespace

std::string cache_folder(const std::string& root) {
  return root + "/cache/sha256";
}

std::string StagingCache::path_of(const StagingItem& item) const {
  return fmt::format("{}/{}/{}", cache_folder(options_.root), item.sha256, item.cache_name);
}

net::Async<std::optional<yarn::LocalResource>> StagingCache::find(const StagingItem& item) {
  const auto path = path_of(item);
  const auto status = co_await fs_.stat(path);
  if (!status) co_return core::fail(status.error());
  if (!*status || (*status)->kind != hdfs::FileKind::file || (*status)->length != item.size) co_return std::nullopt;
  co_return yarn::LocalResource{.url = options_.url_prefix + path,
                                .size = item.size,
                                .modified = (*status)->modified.time_since_epoch().count(),
                                .type = item.type,
                                .visibility = options_.visibility};
}

net::Async<hdfs::FileWriter> StagingCache::create(const std::string& path) {
  hdfs::CreateOptions options{.replication = options_.replication, .block_size = {}};
  auto writer = co_await fs_.create(path, options);
  if (writer || !refuses_replication(writer.error())) co_return writer;
  options.replication.reset();
  co_return co_await fs_.create(path, options);
}

net::Async<> StagingCache::write(const StagingItem& item, const std::string& path, const Uploaded& uploaded,
                                 const std::stop_token& stop) {
  if (stop.stop_requested()) co_return core::fail(interrupted(item));
  auto writer = co_await create(path);
  if (!writer) co_return core::fail(writer.error());
  core::Sha256 hash;
  const auto source = item.open();
  for (;;) {
    const auto piece = source->next();
    if (!piece) co_return core::fail(piece.error());
    if (piece->empty()) break;
    hash.add(*piece);
    if (auto written = co_await writer->write(*piece); !written) co_return written;
    if (stop.stop_requested()) co_return core::fail(interrupted(item));
    uploaded(piece->size());
  }
  // Stamps detect changed files. This check detects changes that a wrong clock or a file system hides.
  if (hash.hex() != item.sha256) {
    co_return core::fail(core::Errc::io,
                         fmt::format("{} changed while it was being uploaded: submit again when no program "
                                     "writes to it",
                                     item.cache_name));
  }
  co_return co_await writer->close();
}

net::Async<> StagingCache::open_to_everybody(const StagingItem& item, const std::string& unfinished) {
  const auto folder = fmt::format("{}/{}", cache_folder(options_.root), item.sha256);
  if (auto done = co_await fs_.set_permission(folder, kFolderForAll); !done) co_return done;
  co_return co_await fs_.set_permission(unfinished, kReadableByAll);
}

net::Async<> StagingCache::publish(const StagingItem& item, const std::string& unfinished) {
  const auto path = path_of(item);
  auto renamed = co_await fs_.rename(unfinished, path, hdfs::Overwrite::no);
  if (renamed || renamed.error().code != hrpc::Errc::exists) co_return renamed;
  const auto found = co_await find(item);
  if (!found) co_return core::fail(found.error());
  // If another submitter was faster, its file is used. A file of another length is damaged and not in use.
  if (*found) {
    (void)co_await fs_.remove(unfinished, hdfs::Recursive::no);
    co_return core::Result<>{};
  }
  co_return co_await fs_.rename(unfinished, path, hdfs::Overwrite::yes);
}

net::Async<yarn::LocalResource> StagingCache::put(const StagingItem& item, const Uploaded& uploaded,
                                                  std::stop_token stop) {
  const auto unfinished =
      fmt::format("{}/{}/.{}.{}", cache_folder(options_.root), item.sha256, item.cache_name, core::random_hex(8));
  auto done = co_await write(item, unfinished, uploaded, stop);
  if (done && options_.visibility == Visibility::everybody) done = co_await open_to_everybody(item, unfinished);
  if (done) done = co_await publish(item, unfinished);
  if (!done) {
    (void)co_await fs_.remove(unfinished, hdfs::Recursive::no);
    co_return core::fail(done.error());
  }
  auto stored = co_await find(item);
  if (!stored) co_return core::fail(stored.error());
  if (!*stored)
    co_return core::fail(core::Errc::io, fmt::format("{} disappeared just after it was written", path_of(item)));
  co_return **std::move(stored);
}

}  // namespace ydl::backend

#include "agent/files/results_store.hpp"

#include "core/described_json.hpp"
#include "core/log.hpp"
#include "core/strings.hpp"
#include "files/stored_names.hpp"
#include "hdfs/paths.hpp"
#include "net/in_thread.hpp"

#include <chrono>
#include <memory>
#include <optional>

#include <fmt/format.h>

namespace ydl::agent {

BOOST_DESCRIBE_STRUCT(StoredFile, (), (path, size, sha256))
BOOST_DESCRIBE_STRUCT(ResultsStamp, (), (attempt, finished))

namespace {

// The manifest as it is stored.
struct ManifestRecord {
  core::TaskId task;
  int attempt = 0;
  int exit_code = 0;
  int signal = 0;
  core::WallTime finished;
  std::vector<StoredFile> files;
  std::vector<std::string> left_out;
};
BOOST_DESCRIBE_STRUCT(ManifestRecord, (), (task, attempt, exit_code, signal, finished, files, left_out))

constexpr int kVersion = 1;
constexpr std::size_t kLargestManifest = std::size_t{64} << 20U;
constexpr core::Millis kListPatience = std::chrono::hours(1);

std::string neighbour(std::string_view folder, std::string_view suffix) {
  return hdfs::join_path(hdfs::parent_path(folder), fmt::format(".{}.{}", hdfs::base_name(folder), suffix));
}

struct Store {
  hdfs::FileSystem& fs;
  std::string folder;
  std::string aside;  // the folder of earlier results while new ones replace them
  Copying& copying;
};

net::Async<bool> exists(const Store& store, const std::string& path) {
  auto status = co_await store.fs.stat(path);
  if (!status) co_return core::fail(status.error());
  co_return status->has_value();
}

// Moves back earlier results that were set aside by an attempt that died between its two renames.
net::Async<> put_back(const Store& store) {
  const auto there = co_await exists(store, store.folder);
  if (!there) co_return core::fail(there.error());
  if (*there) co_return core::Result<>{};
  const auto aside = co_await exists(store, store.aside);
  if (!aside) co_return core::fail(aside.error());
  if (!*aside) co_return core::Result<>{};
  co_return co_await store.fs.rename(store.aside, store.folder, hdfs::Overwrite::no);
}

net::Async<> remove(const Store& store, std::string path) {
  const auto removed = co_await store.fs.remove(std::move(path), hdfs::Recursive::yes);
  if (!removed) co_return core::fail(removed.error());
  co_return core::Result<>{};
}

net::Async<> write_manifest(const Store& store, const std::string& folder, const std::string& text) {
  auto writer = co_await store.fs.create(hdfs::join_path(folder, files::kManifestName),
                                         {.overwrite = hdfs::Overwrite::yes, .replication = {}, .block_size = {}});
  if (!writer) co_return core::fail(writer.error());
  if (auto written = co_await writer->write(text); !written) co_return written;
  co_return co_await writer->close();
}

net::Async<ResultsStamp> stamp_in_place(const Store& store) {
  const auto path = hdfs::join_path(store.folder, files::kManifestName);
  const auto status = co_await store.fs.stat(path);
  if (!status) co_return core::fail(status.error());
  if (!*status || (*status)->length > kLargestManifest) co_return ResultsStamp{};
  auto reader = co_await store.fs.open(path);
  if (!reader) co_return core::fail(reader.error());
  std::string text(reader->length(), '\0');
  const auto n = co_await reader->read(text);
  if (!n) co_return core::fail(n.error());
  co_return Manifest::stamp_in(std::string_view(text).substr(0, *n));
}

// Each of these steps may be repeated.
net::Async<> swap_in(const Store& store, std::string saved, int attempt, const ResultsStamp& fetched) {
  const auto to_do = co_await exists(store, saved);
  if (!to_do) co_return core::fail(to_do.error());
  if (!*to_do) co_return core::Result<>{};  // the answer to the last rename was lost, but it was done
  if (auto back = co_await put_back(store); !back) co_return back;
  const auto in_place = co_await stamp_in_place(store);
  if (!in_place) co_return core::fail(in_place.error());
  if (*in_place != fetched && in_place->attempt > attempt) {
    core::log("{} already has the results of attempt {}, so it is not changed", store.folder, in_place->attempt);
    co_return co_await remove(store, saved);
  }
  const auto earlier = co_await exists(store, store.folder);
  if (!earlier) co_return core::fail(earlier.error());
  if (*earlier) {
    if (auto removed = co_await remove(store, store.aside); !removed) co_return removed;
    auto moved = co_await store.fs.rename(store.folder, store.aside, hdfs::Overwrite::no);
    if (!moved) co_return moved;
  }
  if (auto moved = co_await store.fs.rename(saved, store.folder, hdfs::Overwrite::no); !moved) co_return moved;
  if (*earlier) {
    if (auto removed = co_await remove(store, store.aside); !removed) core::log("{}", removed.error().message);
  }
  co_return core::Result<>{};
}

net::Async<> save_tree(const Store& store, const std::filesystem::path& local, LocalTree tree, Manifest manifest,
                       ResultsStamp fetched) {
  const auto started = core::steady_now();
  const auto saved = folder_being_saved(store.folder, manifest.attempt.attempt);
  const auto begin = [&] { return remove(store, saved); };
  if (auto begun = co_await persist(begin, store.copying); !begun) co_return begun;
  const auto make = [&] { return store.fs.make_directory(saved, hdfs::Parents::create); };
  if (auto made = co_await persist(make, store.copying); !made) co_return made;

  manifest.left_out = tree.left_out;
  auto stored = co_await upload_tree(store.fs, local, std::move(tree), saved, store.copying);
  if (!stored) co_return core::fail(stored.error());
  manifest.files = *std::move(stored);
  const auto text = manifest.to_json();
  const auto write = [&] { return write_manifest(store, saved, text); };
  if (auto written = co_await persist(write, store.copying); !written) co_return written;
  const auto swap = [&] { return swap_in(store, saved, manifest.attempt.attempt, fetched); };
  if (auto swapped = co_await persist(swap, store.copying); !swapped) co_return swapped;

  std::uint64_t bytes = 0;
  for (const auto& file : manifest.files) bytes += file.size;
  core::log("{}: saved {}, {}, as {} in {}", manifest.attempt.str(), core::plural(std::ssize(manifest.files), "file"),
            core::format_bytes(bytes), store.folder, core::format_duration(core::steady_now() - started));
  co_return core::Result<>{};
}

}  // namespace

std::string Manifest::to_json() const {
  ManifestRecord record{attempt.task, attempt.attempt, status.code, status.signal, finished, files, {}};
  for (const auto& path : left_out) record.left_out.push_back(files::stored_path(path));
  return core::encode_record(kVersion, record) + "\n";
}

ResultsStamp Manifest::stamp_in(std::string_view text) {
  return core::decode_record<ResultsStamp>(kVersion, text).value_or(ResultsStamp{});
}

std::string folder_being_saved(std::string_view folder, int attempt) {
  return neighbour(folder, fmt::format("new-{}", attempt));
}

std::string folder_set_aside(std::string_view folder) {
  return neighbour(folder, "old");
}

net::Async<std::optional<ResultsStamp>> find_results(hdfs::FileSystem& fs, std::string folder, SetAside aside,
                                                     Copying& copying) {
  const Store store{fs, folder, folder_set_aside(folder), copying};
  const auto restore = [&] { return put_back(store); };
  if (aside == SetAside::put_back) {
    if (auto back = co_await persist(restore, copying); !back) co_return core::fail(back.error());
  }
  const auto there = co_await exists(store, folder);
  if (!there) co_return core::fail(there.error());
  if (!*there) co_return std::nullopt;
  auto stamp = co_await stamp_in_place(store);
  if (!stamp) co_return core::fail(stamp.error());
  co_return *std::move(stamp);
}

net::Async<ResultsStamp> fetch_results(hdfs::FileSystem& fs, std::string folder, std::filesystem::path local,
                                       ResultsStamp here, Copying& copying) {
  auto stamp = co_await find_results(fs, folder, SetAside::put_back, copying);
  if (!stamp) co_return core::fail(stamp.error());
  if (!*stamp) co_return ResultsStamp{};
  std::error_code error;
  if ((*stamp)->attempt > 0 && **stamp == here && !std::filesystem::is_empty(local, error) && !error) co_return here;
  auto filled = co_await download_tree(fs, folder, std::move(local), Names::stored, copying);
  if (!filled) co_return core::fail(filled.error());
  co_return **std::move(stamp);
}

net::Async<> save_results(hdfs::FileSystem& fs, std::string folder, std::filesystem::path local, Manifest manifest,
                          ResultsStamp fetched, Copying& copying) {
  // This runs in a thread, because results may be a million files on a slow disk.
  const auto listed = std::make_shared<std::optional<core::Result<LocalTree>>>();
  const bool done = co_await net::in_thread([listed, local] { listed->emplace(list_tree(local)); }, kListPatience);
  if (!done) {
    co_return core::fail(core::Errc::timeout, fmt::format("the folder {} could not be listed within {}", local.string(),
                                                          core::format_duration(kListPatience)));
  }
  auto& tree = **listed;
  if (!tree) co_return core::fail(tree.error());
  if (tree->empty()) co_return core::Result<>{};
  const Store store{fs, folder, folder_set_aside(folder), copying};
  const auto attempt = manifest.attempt;
  auto saved = co_await save_tree(store, local, *std::move(tree), std::move(manifest), std::move(fetched));
  // Incomplete results are useless and only take up space.
  if (!saved) (void)co_await fs.remove(folder_being_saved(folder, attempt.attempt), hdfs::Recursive::yes);
  co_return saved;
}

}  // namespace ydl::agent

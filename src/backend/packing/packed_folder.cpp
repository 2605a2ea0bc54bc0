#include "backend/packing/packed_folder.hpp"

#include "backend/packing/byte_source.hpp"
#include "core/described_json.hpp"
#include "core/files.hpp"
#include "core/sha256.hpp"
#include "files/zstd_stream.hpp"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>

#include <fmt/format.h>

namespace ydl::backend {

BOOST_DESCRIBE_STRUCT(PackedFacts, (), (sha256, size, unpacked, files, glibc, packages_glibc))

namespace {

namespace fs = std::filesystem;
using core::fail;
using core::Result;

constexpr int kVersion = 1;
constexpr auto kKept = std::chrono::days(30);
constexpr auto kUnfinished = std::chrono::days(1);

fs::path folder_of(const fs::path& cache) {
  return cache / "packed";
}

core::Error cannot_write(int error, const fs::path& path) {
  auto failure = core::system_error(error, fmt::format("cannot write {}", path.string()));
  if (error == ENOSPC || error == EDQUOT)
    failure.message += "; set XDG_CACHE_HOME to a folder on a disk with space for the packed Python environment";
  return failure;
}

void remove_old(const fs::path& folder) {
  const auto now = fs::file_time_type::clock::now();
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    std::error_code ignored;
    const auto& path = entry->path();
    const auto age = now - entry->last_write_time(ignored);
    if (ignored) continue;
    const auto archive = fs::path(path).replace_extension(".tar.zst");
    const auto json = folder / (path.filename().string().substr(0, path.filename().string().find('.')) + ".json");
    if (path.extension() == ".json" && age > kKept) {
      fs::remove(path, ignored);
      fs::remove(archive, ignored);
    } else if (path.extension() != ".json" && age > kUnfinished && !fs::exists(json, ignored)) {
      fs::remove(path, ignored);
    }
  }
}

// The bytes of the tree, compressed into the file. Returns size and hash of the file.
Result<PackedFacts> compress(const FileTree& tree, const fs::path& path, const std::stop_token& stop) {
  const core::UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return fail(cannot_write(errno, path));
  PackedFacts facts;
  core::Sha256 hash;
  const auto sink = [&](std::string_view bytes) -> Result<> {
    hash.add(bytes);
    facts.size += bytes.size();
    if (auto written = core::write_all(file.get(), bytes); !written)
      return fail(cannot_write(written.error().code.value(), path));
    return {};
  };
  files::ZstdWriter writer(sink, static_cast<int>(std::thread::hardware_concurrency()));
  const auto source = tar_source(tree);
  for (;;) {
    if (stop.stop_requested()) return fail(core::Errc::cancelled, "packing the Python environment was interrupted");
    const auto piece = source->next();
    if (!piece) return fail(piece.error());
    if (piece->empty()) break;
    if (auto written = writer.write(*piece); !written) return fail(written.error());
  }
  if (auto written = writer.finish(); !written) return fail(written.error());
  facts.sha256 = hash.hex();
  facts.unpacked = tree.bytes;
  facts.files = tree.entries.size();
  return facts;
}

}  // namespace

std::optional<PackedArchive> find_packed(const fs::path& cache, const std::string& key) {
  const auto json = folder_of(cache) / (key + ".json");
  const auto path = folder_of(cache) / (key + ".tar.zst");
  const auto text = core::read_file(json, 64 << 10U);
  if (!text) return std::nullopt;
  const auto facts = core::decode_record<PackedFacts>(kVersion, *text);
  struct stat status{};
  if (!facts || ::stat(path.c_str(), &status) != 0 || stamp_of(status).size != facts->size) return std::nullopt;
  (void)::utimensat(AT_FDCWD, json.c_str(), nullptr, 0);  // the time of the last use, by which old ones are removed
  return PackedArchive{path, stamp_of(status), *facts};
}

Result<PackedArchive> pack(const fs::path& cache, const std::string& key, const TreeToPack& content,
                           const std::stop_token& stop) {
  const auto folder = folder_of(cache);
  if (auto made = core::make_directories(folder, 0700); !made) return fail(made.error());
  remove_old(folder);
  const auto unfinished = folder / fmt::format(".{}.{}", key, core::random_hex(4));
  auto facts = compress(content.tree, unfinished, stop);
  std::error_code error;
  // An archive that another submitter has made meanwhile is kept, because it may be in use.
  if (auto found = find_packed(cache, key)) {
    fs::remove(unfinished, error);
    return *std::move(found);
  }
  if (facts) fs::rename(unfinished, folder / (key + ".tar.zst"), error);
  if (!facts || error) {
    std::error_code ignored;
    fs::remove(unfinished, ignored);
    return fail(facts ? cannot_write(error.value(), folder / key) : facts.error());
  }
  facts->glibc = content.glibc;
  facts->packages_glibc = content.packages_glibc;
  auto written =
      core::write_file_atomically(folder / (key + ".json"), core::encode_record(kVersion, *facts) + "\n", 0600);
  if (!written) return fail(written.error());
  auto found = find_packed(cache, key);
  if (!found)
    return fail(core::Errc::io, fmt::format("{} disappeared just after it was written", (folder / key).string()));
  return *std::move(found);
}

}  // namespace ydl::backend

#include "backend/packing/hash_memory.hpp"

#include "core/files.hpp"
#include "core/strings.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace ydl::backend {
namespace {

constexpr std::string_view kFirstLine = "ydl hashes 1";
constexpr std::size_t kMostEntries = 10'000;

}  // namespace

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

HashMemory::HashMemory(std::filesystem::path path, core::WallTime now)
    : path_(std::move(path)),
      today_(std::chrono::duration_cast<std::chrono::days>(now.time_since_epoch()).count()),
      entries_(read(path_)) {}

HashMemory::Entries HashMemory::read(const std::filesystem::path& path) {
  Entries entries;
  const auto text = path.empty() ? core::Result<std::string>("") : core::read_file(path, std::size_t{16} << 20U);
  if (!text) return entries;
  const auto lines = core::split(*text, '\n');
  if (lines.front() != kFirstLine) return entries;
  for (const auto line : lines) {
    const auto words = core::split(line, ' ');
    if (words.size() != 3 || !is_sha256(words[1])) continue;
    if (const auto day = core::parse_int<std::int64_t>(words[2]))
      entries.insert_or_assign(std::string(words[0]), Entry{std::string(words[1]), *day});
  }
  return entries;
}

std::optional<std::string> HashMemory::find(const std::string& key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return std::nullopt;
  changed_ = changed_ || found->second.day != today_;
  found->second.day = today_;
  return found->second.hash;
}

void HashMemory::remember(const std::string& key, const std::string& hash) {
  entries_.insert_or_assign(key, Entry{hash, today_});
  changed_ = true;
}

core::Result<> HashMemory::save() const {
  if (!changed_ || path_.empty()) return {};
  auto entries = read(path_);
  for (const auto& [key, entry] : entries_) entries.insert_or_assign(key, entry);
  std::vector<Entries::const_iterator> kept;
  for (auto entry = entries.cbegin(); entry != entries.cend(); ++entry) kept.push_back(entry);
  std::ranges::sort(kept, std::greater{}, [](const auto& entry) { return std::pair(entry->second.day, entry->first); });
  kept.resize(std::min(kept.size(), kMostEntries));
  std::string text(kFirstLine);
  text += '\n';
  for (const auto& entry : kept) text += fmt::format("{} {} {}\n", entry->first, entry->second.hash, entry->second.day);
  if (auto made = core::make_directories(path_.parent_path(), 0700); !made) return made;
  return core::write_file_atomically(path_, text, 0600);
}

core::Result<std::filesystem::path> cache_directory(const core::Getenv& getenv) {
  if (const auto cache = getenv("XDG_CACHE_HOME"); cache && cache->starts_with('/'))
    return std::filesystem::path(*cache) / "ydl";
  auto home = core::home_directory(getenv);
  if (!home) return core::fail(core::Errc::usage, "there is no home directory: set HOME or XDG_CACHE_HOME");
  return *home / ".cache/ydl";
}

}  // namespace ydl::backend

#include "agent/files/save_manifest.hpp"

#include "core/described_json.hpp"
#include "core/strings.hpp"
#include "files/stored_names.hpp"

#include <set>

#include <fmt/format.h>

namespace ydl::agent {

BOOST_DESCRIBE_STRUCT(SavedFile, (), (path, stored, size, mode, modified, sha256))

namespace {

constexpr int kVersion = 1;
constexpr std::size_t kLongestEnd = 100;  // of a name; NameNodes accept names of up to 255 bytes

// The manifest as it is stored.
struct SaveRecord {
  core::TaskId task;
  int attempt = 0;
  core::WallTime saved;
  std::int64_t next = 1;
  std::vector<SavedFile> files;
};
BOOST_DESCRIBE_STRUCT(SaveRecord, (), (task, attempt, saved, next, files))

bool is_inside_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

core::Result<void> check(const SaveRecord& record) {
  const auto refuse = [](std::string why) { return core::fail(core::Errc::corrupt, std::move(why)); };
  if (record.attempt < 1) return refuse(fmt::format("'attempt' is out of range: {}", record.attempt));
  if (record.files.size() > kMostSavedFiles)
    return refuse(fmt::format("'files' has more than {} entries", kMostSavedFiles));
  std::set<std::string_view> paths;
  for (const auto& file : record.files) {
    if (!original_path(file.path)) return refuse(fmt::format("'{}' is not the path of a saved file", file.path));
    if (!paths.insert(file.path).second) return refuse(fmt::format("'{}' occurs twice", file.path));
    if (!number_of_save(file.stored)) return refuse(fmt::format("'{}' is not the name of a saved file", file.stored));
  }
  return {};
}

}  // namespace

std::string SaveManifest::to_json() const {
  return core::encode_record(kVersion, SaveRecord{attempt.task, attempt.attempt, saved, next, files}) + "\n";
}

core::Result<SaveManifest> SaveManifest::from_json(std::string_view text) {
  auto record = core::decode_record<SaveRecord>(kVersion, text);
  if (!record) return core::fail(record.error());
  if (auto checked = check(*record); !checked) return core::fail(checked.error());
  return SaveManifest{
      {std::move(record->task), record->attempt}, record->saved, record->next, std::move(record->files)};
}

std::string stored_save_name(int attempt, std::int64_t number, std::string_view path) {
  auto end = files::stored_name(path.substr(path.rfind('/') + 1));
  if (end.size() > kLongestEnd) {
    auto from = end.size() - kLongestEnd;
    while (from < end.size() && is_inside_character(end[from])) ++from;
    end.erase(0, from);
  }
  return fmt::format("{}-{}-{}", attempt, number, end);
}

std::optional<SaveNumber> number_of_save(std::string_view stored) {
  const auto first = stored.find('-');
  const auto second = first == std::string_view::npos ? first : stored.find('-', first + 1);
  if (second == std::string_view::npos || second + 1 == stored.size()) return std::nullopt;
  if (stored.find('/') != std::string_view::npos || stored.find('\0') != std::string_view::npos) return std::nullopt;
  const auto attempt = core::parse_int<int>(stored.substr(0, first));
  const auto number = core::parse_int<std::int64_t>(stored.substr(first + 1, second - first - 1));
  if (!attempt || !number || *attempt < 1 || *number < 1) return std::nullopt;
  return SaveNumber{*attempt, *number};
}

std::optional<std::string> original_path(std::string_view stored_path) {
  std::string path;
  for (const auto component : core::split(stored_path, '/')) {
    const auto name = files::original_name(component);
    // A slash or a NUL byte cannot be part of an escaped component.
    if (!name || name->find('\0') != std::string::npos) return std::nullopt;
    if (!path.empty()) path.push_back('/');
    path += *name;
  }
  if (path.empty()) return std::nullopt;
  return path;
}

}  // namespace ydl::agent

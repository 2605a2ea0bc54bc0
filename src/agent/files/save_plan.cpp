#include "agent/files/save_plan.hpp"

#include "files/stored_names.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace ydl::agent {
namespace {

// Beyond this difference a clock or a file system is wrong, and the age of a file cannot be used.
constexpr core::Millis kFuture{1'000};

using ByPath = std::map<std::string_view, const SavedFile*>;

ByPath by_path(const SaveManifest& manifest) {
  ByPath files;
  for (const auto& file : manifest.files) files.emplace(file.path, &file);
  return files;
}

const SavedFile* find(const ByPath& files, const std::string& path) {
  const auto found = files.find(path);
  return found == files.end() ? nullptr : found->second;
}

bool is_same(const SavedFile& saved, const SeenFile& seen) {
  return saved.size == seen.size && saved.modified == seen.modified;
}

bool is_too_new(const SeenFile& file, const SaveMoment& moment) {
  return moment.unchanged_for > core::Millis(0) && file.changed > moment.now - moment.unchanged_for &&
         file.changed <= moment.now + kFuture;
}

}  // namespace

SavePlan plan_save(const std::vector<SeenFile>& seen, const SaveManifest& last, core::AttemptId attempt,
                   SaveMoment moment) {
  SavePlan plan;
  plan.next = {std::move(attempt), moment.now, last.next};
  plan.complete = true;
  const auto saved = by_path(last);
  for (const auto& file : seen) {
    const auto path = files::stored_path(file.path);
    const auto* const before = find(saved, path);
    const bool is_new = is_too_new(file, moment);
    if (before != nullptr && is_same(*before, file)) {
      plan.next.files.push_back(*before);
    } else if (file.is_being_written || is_new) {
      plan.complete = false;
      if (before != nullptr) plan.next.files.push_back(*before);
      if (file.is_being_written) continue;
      const auto at = file.changed + moment.unchanged_for + core::Millis(1);
      plan.again_at = std::max(plan.again_at.value_or(at), at);
    } else {
      plan.uploads.push_back({file,
                              {.path = path,
                               .stored = stored_save_name(plan.next.attempt.attempt, plan.next.next++, file.path),
                               .size = file.size,
                               .mode = file.mode,
                               .modified = file.modified,
                               .sha256 = {}}});
    }
  }
  // The first manifest of an attempt is written even without changes: it shows earlier attempts that they have a
  // successor.
  const bool is_taken_over = !last.files.empty() && last.attempt != plan.next.attempt;
  plan.changes = !plan.uploads.empty() || plan.next.files.size() != last.files.size() || is_taken_over;
  return plan;
}

SaveManifest finish_plan(SavePlan plan, const std::vector<Uploaded>& uploaded, const std::vector<SeenFile>& seen,
                         const SaveManifest& last) {
  std::map<std::string_view, const SeenFile*> now;
  for (const auto& file : seen) now.emplace(file.path, &file);
  const auto saved = by_path(last);
  auto finished = std::move(plan.next);
  for (std::size_t i = 0; i < plan.uploads.size(); ++i) {
    auto& [file, entry] = plan.uploads[i];
    const auto found = now.find(file.path);
    if (uploaded[i] && found != now.end() && *found->second == file) {
      entry.sha256 = *uploaded[i];
      finished.files.push_back(std::move(entry));
      continue;
    }
    const auto* const before = find(saved, entry.path);
    if (before != nullptr && found != now.end()) finished.files.push_back(*before);
  }
  return finished;
}

}  // namespace ydl::agent

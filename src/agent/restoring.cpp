#include "agent/restoring.hpp"

#include "agent/files/workspace.hpp"
#include "core/log.hpp"
#include "core/strings.hpp"
#include "hrpc/errors.hpp"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

namespace files = std::filesystem;

// The task that owns a save may replace it while it is read. Another try finds the new one.
constexpr int kMostTries = 3;

bool has_entries(const files::path& folder) {
  std::error_code error;
  return files::is_directory(folder, error) && !files::is_empty(folder, error) && !error;
}

void remove_tree(const files::path& folder) {
  std::error_code ignored;
  files::remove_all(folder, ignored);
}

}  // namespace

void Restoring::follow(int earlier, ResultsStamp results) {
  earlier_ = earlier;
  results_here_ = std::move(results);
}

void Restoring::tell(std::string text) const {
  core::log("{}: {}", request_.attempt.str(), text);
  context_.report(protocol::Note{request_.attempt, std::move(text)});
}

bool Restoring::is_own(const protocol::Restorable& from) const {
  return from.results == (request_.remote_results.empty() ? request_.results_directory : request_.remote_results) &&
         from.saves == request_.remote_saves;
}

void Restoring::find_here() {
  if (!request_.remote_results.empty()) return;
  for (const auto& from : request_.restore) {
    if (!has_entries(from.results)) continue;
    directory_ = from.results;
    return;
  }
}

net::Async<> Restoring::fetch() {
  if (request_.remote_results.empty()) co_return core::Result<>{};
  const auto once = [this] { return fetch_once(); };
  co_return co_await persist(once, copying_);
}

net::Async<> Restoring::fetch_once() {
  if (auto fetched = co_await fetch_own(); !fetched)
    co_return core::fail(fetched.error().within("cannot download the files of earlier attempts"));
  for (const auto& from : request_.restore) {
    if (is_own(from)) {
      if (!has_entries(request_.results_directory)) continue;
      directory_ = request_.results_directory;
      co_return core::Result<>{};
    }
    const auto fetched = co_await fetch_other(from);
    if (!fetched)
      co_return core::fail(fetched.error().within("cannot download the checkpoint that the task continues from"));
    if (!*fetched) continue;
    directory_ = restore_directory(request_).string();
    co_return core::Result<>{};
  }
  co_return core::Result<>{};
}

// ---- the task's own --------------------------------------------------------------------------------------------

net::Async<> Restoring::fetch_own() {
  for (int tries = 1;; ++tries) {
    auto fetched = co_await fetch_own_once();
    if (fetched || fetched.error().code != hrpc::Errc::not_found) co_return fetched;
    if (tries < kMostTries) continue;
    co_return core::fail(core::Errc::unavailable,
                         fetched.error().message);  // not_found would end the whole job, but another try may succeed
  }
}

net::Async<> Restoring::fetch_own_once() {
  auto found = co_await find({request_.remote_saves, request_.remote_results}, SetAside::put_back);
  if (!found) co_return core::fail(found.error());
  auto& [save, results] = *found;
  if (!save || !is_newer(*save, results)) {
    if (!results) co_return core::Result<>{};
    const auto target = context_.surroundings.file_systems->locate(request_.remote_results);
    if (!target) co_return core::fail(target.error());
    auto fetched =
        co_await fetch_results(*target->fs, target->path, request_.results_directory, results_here_, copying_);
    if (!fetched) co_return core::fail(fetched.error());
    fetched_results_ = *std::move(fetched);
    co_return core::Result<>{};
  }
  fetched_results_ = std::move(results).value_or(ResultsStamp{});
  // The earlier attempt has saved files from this folder, and the folder may have newer files than the save.
  if (earlier_ >= save->attempt.attempt && has_entries(request_.results_directory)) co_return core::Result<>{};
  const auto target = context_.surroundings.file_systems->locate(request_.remote_saves);
  if (!target) co_return core::fail(target.error());
  co_return co_await fetch_save(*target->fs, target->path, *save, request_.results_directory, copying_);
}

// ---- another task's --------------------------------------------------------------------------------------------

net::Async<bool> Restoring::fetch_other(protocol::Restorable from) {
  for (int tries = 1;; ++tries) {
    auto fetched = co_await fetch_other_once(from);
    if (fetched || fetched.error().code != hrpc::Errc::not_found) co_return fetched;
    if (tries < kMostTries) continue;
    tell(fmt::format("the save in {} cannot be used: {}", from.saves, fetched.error().message));
    co_return false;
  }
}

net::Async<bool> Restoring::fetch_other_once(const protocol::Restorable& from) {
  const auto found = co_await find(from, SetAside::leave);
  if (!found) co_return core::fail(found.error());
  const auto& [save, results] = *found;
  if (!save && !results) co_return false;
  const bool uses_save = save && is_newer(*save, results);
  const auto target = context_.surroundings.file_systems->locate(uses_save ? from.saves : from.results);
  if (!target) co_return core::fail(target.error());
  const auto folder = restore_directory(request_);
  remove_tree(folder);  // left by a failed try
  const auto fetched = uses_save ? co_await fetch_save(*target->fs, target->path, *save, folder, copying_)
                                 : co_await download_tree(*target->fs, target->path, folder, Names::stored, copying_);
  if (!fetched) co_return core::fail(fetched.error());
  co_return has_entries(folder);
}

// ---- both ------------------------------------------------------------------------------------------------------

// Looks for the save first. A task's results are complete before its saves are removed, so this order finds one of
// them.
net::Async<Restoring::Found> Restoring::find(const protocol::Restorable& from, SetAside aside) {
  Found found;
  if (!from.saves.empty()) {
    auto save = co_await find_save(from.saves, aside);
    if (!save) co_return core::fail(save.error());
    found.save = *std::move(save);
  }
  const auto target = context_.surroundings.file_systems->locate(from.results);
  if (!target) co_return core::fail(target.error());
  auto results = co_await find_results(*target->fs, target->path, aside, copying_);
  if (!results) co_return core::fail(results.error());
  found.results = *std::move(results);
  co_return found;
}

net::Async<std::optional<SaveManifest>> Restoring::find_save(const std::string& folder, SetAside aside) {
  const auto target = context_.surroundings.file_systems->locate(folder);
  if (!target) co_return core::fail(target.error());
  std::optional<SaveManifest> before;
  for (;;) {
    auto save = co_await read_save(*target->fs, target->path);
    if (!save && !is_damaged(save.error())) co_return core::fail(save.error());
    if (!save) {
      tell(fmt::format("the save in {} cannot be used ({}); looking for other files to continue from", folder,
                       save.error().message));
      co_return std::nullopt;
    }
    if (!*save || (*save)->files.empty()) co_return std::nullopt;
    const auto stored = co_await check_save(*target->fs, target->path, **save);
    if (!stored) co_return core::fail(stored.error());
    if (stored->missing.empty()) {
      // If the save belongs to another task, that task may just be saving.
      if (stored->is_interrupted && aside == SetAside::put_back)
        tell(fmt::format("its last save was interrupted; it continues from the save before it, of {}",
                         core::format_utc((*save)->saved)));
      co_return *std::move(save);
    }
    if (std::exchange(before, *save) != *save) continue;  // it was replaced meanwhile, and its files deleted
    tell(fmt::format(
        "the save in {} cannot be used ({} is missing or incomplete); looking for other files to continue from", folder,
        stored->missing));
    co_return std::nullopt;
  }
}

}  // namespace ydl::agent

#include "agent/saves.hpp"

#include "agent/files/seen_files.hpp"
#include "core/log.hpp"
#include "core/strings.hpp"

#include <algorithm>
#include <stop_token>
#include <utility>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

constexpr core::Millis kPatience = core::Seconds(10);  // for one file; the next save tries again
// The shortest time between two saves, even if the task asks for more.
constexpr core::Millis kAtLeast = core::Seconds(1);
constexpr core::Millis kOften = core::Seconds(2);
constexpr core::Millis kLongestWait = std::chrono::hours(1);
constexpr int kMostTries = 3;

core::Millis until(core::Instant when) {
  return std::clamp(std::chrono::duration_cast<core::Millis>(when - core::steady_now()), core::Millis(0), kLongestWait);
}

}  // namespace

Saves::Saves(const TaskContext& context, const protocol::Prepare& request)
    : context_(context), request_(request), copying_{.patience = kPatience}, changed_(context.executor) {}

// ---- when ------------------------------------------------------------------------------------------------------

void Saves::save_now() {
  is_asked_ = true;
  changed_.notify();
}

void Saves::save_often(core::Millis during) {
  often_until_ = core::steady_now() + during;
  again_at_ = core::steady_now();
  changed_.notify();
}

void Saves::save_as_before() {
  often_until_.reset();
  changed_.notify();
}

core::Instant Saves::next_save() const {
  const auto soonest = last_begin_ + kAtLeast;
  if (is_asked_) return soonest;
  auto next = last_begin_ + request_.save_every;
  if (again_at_) next = std::min(next, *again_at_);
  if (often_until_ && core::steady_now() < *often_until_) next = std::min(next, last_begin_ + kOften);
  return std::max(next, soonest);
}

net::awaitable<void> Saves::run(pid_t reaper) {
  if (request_.remote_saves.empty() || is_over_) co_return;
  reaper_ = reaper;
  is_running_ = true;
  last_begin_ = core::steady_now();
  while (!is_over_) {
    if (const auto left = until(next_save()); left > core::Millis(0)) {
      co_await changed_.wait(left);
      continue;
    }
    last_begin_ = core::steady_now();
    again_at_.reset();
    co_await save(std::exchange(is_asked_, false) ? core::Millis(0) : kUnchangedFor);
  }
  is_running_ = false;
  changed_.notify();
}

void Saves::cancel() {
  is_over_ = true;
  copying_.cancelled = true;
  changed_.notify();
}

net::awaitable<void> Saves::finish() {
  cancel();
  while (is_running_) co_await changed_.wait(kLongestWait);
}

// ---- one save --------------------------------------------------------------------------------------------------

net::awaitable<void> Saves::save(core::Millis unchanged_for) {
  for (int tries = 0; tries < kMostTries && !is_over_; ++tries) {
    const auto step = co_await save_once(unchanged_for);
    if (!step && !is_over_) report_trouble(step.error());
    if (!step || *step == Step::done) co_return;
  }
}

net::Async<Saves::Step> Saves::save_once(core::Millis unchanged_for) {
  const auto target = context_.surroundings.file_systems->locate(request_.remote_saves);
  if (!target) co_return core::fail(target.error());
  auto& fs = *target->fs;
  if (!last_) {
    auto found = co_await read_save(fs, target->path);
    if (!found && !is_damaged(found.error())) co_return core::fail(found.error());
    last_ = found ? found->value_or(SaveManifest{}) : SaveManifest{};
  }
  const SaveMoment moment{core::wall_now(), unchanged_for};
  auto seen = co_await look();
  if (!seen) co_return core::fail(seen.error());
  auto plan = plan_save(*seen, *last_, request_.attempt, moment);
  if (plan.again_at && often_until_)
    again_at_ = core::steady_now() + std::max(*plan.again_at - core::wall_now(), core::Millis(0));
  if (!plan.changes) {
    if (plan.complete && !last_->files.empty()) context_.report(protocol::TaskSaved{request_.attempt});
    co_return Step::done;
  }

  const auto uploaded = co_await upload_save(fs, target->path, plan.uploads, copying_);
  if (!uploaded) co_return core::fail(uploaded.error());
  if (!plan.uploads.empty()) seen = co_await look();
  if (!seen) co_return core::fail(seen.error());
  if (is_over_) co_return Step::done;
  auto manifest = finish_plan(std::move(plan), *uploaded, *seen, *last_);
  const auto replaced = co_await replace_manifest(fs, target->path, manifest, *last_, copying_);
  if (!replaced) co_return core::fail(replaced.error());
  if (*replaced == Replaced::not_the_last) {
    last_.reset();
    co_return Step::again;
  }
  if (*replaced == Replaced::has_successor) {
    core::log("{}: a later attempt saves to {}, so this one stops saving", request_.attempt.str(), target->path);
    cancel();
    co_return Step::done;
  }
  last_ = std::move(manifest);
  has_told_trouble_ = false;
  context_.report(protocol::TaskSaved{request_.attempt});
  if (auto removed = co_await remove_unnamed(fs, target->path, *last_); !removed)
    core::log("{}: {}", request_.attempt.str(), removed.error().message);
  co_return Step::done;
}

// This runs in the worker, because folders may be large and their disk slow.
net::Async<std::vector<SeenFile>> Saves::look() const {
  auto seen = std::make_shared<core::Result<std::vector<SeenFile>>>();
  const auto work = [seen, request = request_, reaper = reaper_](const std::stop_token& stop) {
    *seen = look_at_results(request, reaper, stop);
  };
  if (auto ran = co_await context_.machine.worker().run(work); !ran) co_return core::fail(ran.error());
  co_return std::move(*seen);
}

void Saves::report_trouble(const core::Error& error) {
  core::log("{}: {}", request_.attempt.str(), error.message);
  if (std::exchange(has_told_trouble_, true)) return;
  context_.report(protocol::Note{
      request_.attempt,
      fmt::format("its files cannot be saved to HDFS right now ({}); the task continues, and ydl tries again every {}",
                  error.message, core::format_duration(request_.save_every))});
}

net::awaitable<void> Saves::remove() {
  if (request_.remote_saves.empty()) co_return;
  const auto target = context_.surroundings.file_systems->locate(request_.remote_saves);
  const auto removed =
      target ? co_await remove_saves(*target->fs, target->path, request_.attempt.attempt) : core::fail(target.error());
  if (!removed) core::log("{}: {}", request_.attempt.str(), removed.error().message);
}

}  // namespace ydl::agent

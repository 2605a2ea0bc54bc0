#pragma once

#include "agent/files/save_plan.hpp"
#include "agent/files/saves_store.hpp"
#include "agent/files/tree_copy.hpp"
#include "agent/task_context.hpp"
#include "core/result.hpp"
#include "net/asio.hpp"
#include "protocol/commands.hpp"

#include <memory>
#include <optional>
#include <sys/types.h>
#include <vector>

namespace ydl::agent {

// Saves the files of a running task, every `save_every` and when the task asks for it: docs/checkpoints.md. The task
// owns the objects that it refers to, and lives until run() has returned.
//
//   run() ── save_now(), save_often() … ── finish() ── the results are saved ── remove()
class Saves {
 public:
  Saves(const TaskContext& context, const protocol::Prepare& request);

  // Runs until finish() or cancel(); returns at once if the request names no folder for saves. `reaper` is the root of
  // the task's processes.
  [[nodiscard]] net::awaitable<void> run(pid_t reaper);
  // The task has printed that its checkpoint is complete, so this save also includes files that were just written.
  void save_now();
  // The task is about to lose its container: saves now, and every two seconds during that time.
  void save_often(core::Millis during);
  // Saves every `save_every` again.
  void save_as_before();
  // Begins no more saves, and cancels uploads in progress.
  void cancel();
  // As cancel(), and returns when no save is in progress.
  [[nodiscard]] net::awaitable<void> finish();
  // Removes the saves. Call this when the results are saved, which are newer than any save.
  [[nodiscard]] net::awaitable<void> remove();

 private:
  enum class Step { done, again };

  [[nodiscard]] net::awaitable<void> save(core::Millis unchanged_for);
  [[nodiscard]] net::Async<Step> save_once(core::Millis unchanged_for);
  [[nodiscard]] net::Async<std::vector<SeenFile>> look() const;
  [[nodiscard]] core::Instant next_save() const;
  void report_trouble(const core::Error& error);

  const TaskContext& context_;
  const protocol::Prepare& request_;
  Copying copying_;
  pid_t reaper_ = 0;
  std::optional<SaveManifest> last_;  // the save in HDFS; nothing until it was read
  core::Instant last_begin_{};
  std::optional<core::Instant> again_at_;     // when files that were too new for the last save are old enough
  std::optional<core::Instant> often_until_;  // save_often
  bool is_asked_ = false;                     // save_now
  bool is_running_ = false;
  bool is_over_ = false;
  bool has_told_trouble_ = false;
  net::Signal changed_;
};

}  // namespace ydl::agent

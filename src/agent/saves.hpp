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

// Saves what a running task has written, every `save_every` and whenever it is asked to: docs/checkpoints.md. Its task
// owns what it refers to, and lives until run() has returned.
//
//   run() ── save_now(), save_often() … ── finish() ── the results are saved ── remove()
class Saves {
 public:
  Saves(const TaskContext& context, const protocol::Prepare& request);

  // Until finish() or cancel(); returns at once where nothing is to be saved. `reaper` is the root of the task's
  // processes.
  [[nodiscard]] net::awaitable<void> run(pid_t reaper);
  // The task has said that what it wrote is complete: a file need not be old for it.
  void save_now();
  // Saves now and then every two seconds during that time: the task is about to be lost.
  void save_often(core::Millis during);
  // Back to every `save_every`.
  void save_as_before();
  // Begins nothing any more, and gives up what is being uploaded.
  void cancel();
  // As cancel, and returns when nothing is under way.
  [[nodiscard]] net::awaitable<void> finish();
  // The results are saved, and newer than any save.
  [[nodiscard]] net::awaitable<void> remove();

 private:
  enum class Step { done, again };

  [[nodiscard]] net::awaitable<void> save(core::Millis unchanged_for);
  [[nodiscard]] net::Async<Step> save_once(core::Millis unchanged_for);
  [[nodiscard]] net::Async<std::vector<SeenFile>> look() const;
  [[nodiscard]] core::Instant next_save() const;
  void tell_trouble(const core::Error& error);

  const TaskContext& context_;
  const protocol::Prepare& request_;
  Copying copying_;
  pid_t reaper_ = 0;
  std::optional<SaveManifest> last_;  // what is on HDFS; nothing: it has not been looked at
  core::Instant last_begin_{};
  std::optional<core::Instant> again_at_;     // files that were too new will be old enough
  std::optional<core::Instant> often_until_;  // save_often
  bool is_asked_ = false;                     // save_now
  bool is_running_ = false;
  bool is_over_ = false;
  bool has_told_trouble_ = false;
  net::Signal changed_;
};

}  // namespace ydl::agent

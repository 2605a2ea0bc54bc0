#pragma once

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/job_states.hpp"
#include "core/metrics.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What the displays show. Plain values that the command line fills from what the master tells it. States and kinds that
// only a newer master knows are shown by their names. Texts may be raw: every display cleans what it prints.
namespace ydl::ui {

struct TaskView {
  core::TaskId id;
  int attempt = 1;
  core::Named<core::TaskState> state = core::TaskState::waiting;
  std::string node;
  std::string reason;  // why it waits, failed or was stopped; may be empty
  std::optional<core::WallTime> running_since;
  std::optional<core::Millis> ran_for;  // once it has ended
  std::string last_line;
  std::optional<double> progress;                      // 0 to 1, when the task reports it
  std::string progress_text;                           // "epoch 3/5 loss 0.12"
  std::optional<core::WallTime> saved = std::nullopt;  // what it had written, while it ran
  std::optional<core::Millis> left = std::nullopt;     // until its progress is 1, as an estimate
  std::optional<int> cpu_percent = std::nullopt;       // 100: one core
  std::optional<std::uint64_t> memory_bytes = std::nullopt;
  std::optional<std::uint64_t> memory_limit = std::nullopt;
  std::optional<core::Millis> quiet = std::nullopt;  // since its log last grew
  std::optional<core::Metrics> metrics = std::nullopt;
};

// What the tasks of a role run.
struct CommandView {
  std::string role;
  std::vector<std::string> words;
};

// A host that the job does not use now.
struct AvoidedView {
  std::string node;
  std::optional<core::WallTime> until;  // nothing: until the job ends
  std::string reason;                   // "2 containers lost"
};

// A role whose number of tasks may change.
struct ElasticRoleView {
  std::string name;
  int least = 1;
  int most = 1;
  int tasks = 0;  // that the job has now
};

struct JobView {
  std::string id;
  std::string name;
  std::string framework;
  std::string where;  // "this machine"
  core::Named<core::JobState> state = core::JobState::placing;
  core::WallTime submitted;
  std::optional<core::WallTime> finished;
  std::vector<TaskView> tasks;
  std::string reason;
  std::optional<int> exit_code;  // of the task that decided, once the job has ended
  std::string logs_path;
  std::string results_path;
  std::vector<AvoidedView> avoided = {};
  std::vector<ElasticRoleView> elastic = {};
  std::string queue = {};   // of a cluster, where it is known
  std::string notice = {};  // what holds the job up now, outside of its tasks; empty: nothing
  // Of the deciding tasks that report progress, of the one that has most to do.
  std::optional<double> progress = std::nullopt;
  std::optional<core::Millis> left = std::nullopt;
  std::vector<CommandView> commands = {};  // where they are known
};

struct EventView {
  std::uint64_t seq = 0;  // rises by one from event to event, from 1; 0: not numbered
  core::WallTime time;
  core::Named<core::RecordKind> kind = core::RecordKind::note;
  std::optional<core::TaskId> task;
  int attempt = 1;
  std::string text;              // one sentence, with or without the task's name before it
  std::optional<int> exit_code;  // of a task or job that ended
  std::string cause = {};        // of one that failed or was lost: "exit_code"; empty: none
  std::string node = {};         // of a task that was placed
};

struct LogLine {
  core::TaskId task;
  std::string stream;  // stdout or stderr
  std::string text;
};

// The attempt that failed first and for good: what a person reads when a job fails.
struct FailureView {
  core::TaskId task;
  int attempt = 1;
  std::string node;
  bool is_elsewhere = false;  // the node is another machine than the one on which the user reads this
  std::string sentence;
  std::vector<std::string> last_lines;  // of stderr, or of stdout when stderr is empty; the last 20 are shown
  std::string log_path;
  std::string more_command;
};

}  // namespace ydl::ui

#pragma once

#include "core/clock.hpp"
#include "core/cluster_kind.hpp"
#include "core/files.hpp"
#include "core/ids.hpp"
#include "core/job_states.hpp"
#include "core/result.hpp"
#include "core/user.hpp"
#include "spec/job_spec.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ydl::jobs {

inline constexpr int kFolderVersion = 1;

// The files of one job. They can be read without ydl, also after the job has ended:
//
//   jobs/ID/job.json                 what the user asked for: JobFile
//           state.json               the current state: StateFile, replaced as a whole
//           view.json                the job and its tasks as they ended
//           events.jsonl             everything that happened, for users: one JSON object per line
//           told.jsonl               the events of the job's state machine: job/event_codec.hpp
//           yarn.json                the application on a cluster, if there is one
//           master.json              address and secret of the running master, mode 0600
//           master.sock              the API of the running master, for jobs on this machine
//           master.lock              locked while the master runs; contains lock_owner()
//           logs/master.log  logs/agent.log
//           logs/worker-0/1/stdout   and stderr, per attempt
//           tasks/worker-0/          the task's working directory
//           archives/NAME/           the job's archives, unpacked
//           results/worker-0/        what YDL_RESULTS_DIR names, unless --results names another folder
class JobFolder {
 public:
  explicit JobFolder(std::filesystem::path root) : root_(std::move(root)) {}

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  [[nodiscard]] core::JobId id() const { return {root_.filename().string()}; }
  [[nodiscard]] std::filesystem::path job_file() const { return root_ / "job.json"; }
  [[nodiscard]] std::filesystem::path state_file() const { return root_ / "state.json"; }
  [[nodiscard]] std::filesystem::path view_file() const { return root_ / "view.json"; }
  [[nodiscard]] std::filesystem::path events_file() const { return root_ / "events.jsonl"; }
  [[nodiscard]] std::filesystem::path told_file() const { return root_ / "told.jsonl"; }
  [[nodiscard]] std::filesystem::path master_file() const { return root_ / "master.json"; }
  [[nodiscard]] std::filesystem::path socket_file() const { return root_ / "master.sock"; }
  [[nodiscard]] std::filesystem::path yarn_file() const { return root_ / "yarn.json"; }
  [[nodiscard]] std::filesystem::path lock_file() const { return root_ / "master.lock"; }
  [[nodiscard]] std::filesystem::path logs() const { return root_ / "logs"; }
  [[nodiscard]] std::filesystem::path master_log() const { return logs() / "master.log"; }
  [[nodiscard]] std::filesystem::path agent_log() const { return logs() / "agent.log"; }
  [[nodiscard]] std::filesystem::path task_logs(const core::AttemptId& attempt) const;
  [[nodiscard]] std::filesystem::path working_directory(const core::TaskId& task) const;
  [[nodiscard]] std::filesystem::path archives() const { return root_ / "archives"; }
  [[nodiscard]] std::filesystem::path default_results() const { return root_ / "results"; }

 private:
  std::filesystem::path root_;
};

using PortRange = std::pair<std::uint16_t, std::uint16_t>;  // the first and the last

// The folders in which another job keeps what its tasks wrote. Each task has a folder below them.
struct RestoreFolders {
  std::string saves;  // empty for a job on this machine, which has no saves
  std::string results;
};

struct JobFile {
  core::JobId id;
  core::WallTime created{};
  std::string user;
  std::string ydl_version;
  core::ClusterKind cluster = core::ClusterKind::local;
  std::filesystem::path results;  // the tasks' folders are below it
  std::optional<PortRange> port_range;
  std::optional<RestoreFolders> restore;  // of the job that spec.restore_from names
  spec::JobSpec spec;
};

struct StateFile {
  core::JobState state = core::JobState::placing;
  int tasks = 0;
  int exit_code = 0;  // once the state is final
  std::string reason;
  std::string cause;  // the task that failed first, "worker:1", or empty
  int cause_attempt = 0;
  std::optional<core::WallTime> finished;
};

// The folder of all jobs: $XDG_STATE_HOME/ydl/jobs or ~/.local/state/ydl/jobs.
[[nodiscard]] core::Result<std::filesystem::path> jobs_root(const core::Getenv& getenv = core::process_getenv);

// Whether the text has the form of an id that create_job_folder() creates: "train-03fa". A name from another source,
// such as a cluster, must pass this check before it becomes part of a path.
[[nodiscard]] bool is_job_id(std::string_view text);

// Writes the first files of a job into `unfinished`, which is renamed to `folder` when all files are written.
using FillJobFolder = std::function<core::Result<void>(const JobFolder& unfinished, const JobFolder& folder)>;

// Creates a new folder with an id that starts with `name`. The folder appears together with its files. A client that is
// killed meanwhile leaves a folder whose name begins with '.'; a later client removes it after an hour.
[[nodiscard]] core::Result<JobFolder> create_job_folder(const std::filesystem::path& jobs, const std::string& name,
                                                        const FillJobFolder& fill = {});

// The folder of the job with this id, or with the only id that starts with `id`. Errors: not_found, suggesting an id.
[[nodiscard]] core::Result<JobFolder> find_job_folder(const std::filesystem::path& jobs, std::string_view id);
[[nodiscard]] std::vector<JobFolder> list_job_folders(const std::filesystem::path& jobs);

[[nodiscard]] core::Result<void> write_job_file(const JobFolder& folder, const JobFile& job);
[[nodiscard]] core::Result<JobFile> read_job_file(const JobFolder& folder);
[[nodiscard]] core::Result<void> write_state_file(const JobFolder& folder, const StateFile& state);
[[nodiscard]] core::Result<StateFile> read_state_file(const JobFolder& folder);

// Locks the folder for as long as the master runs. The kernel releases the lock however the master ends.
[[nodiscard]] core::Result<core::UniqueFd> lock_job(const JobFolder& folder);
// What lock_job() writes into the lock file: the boot id of this machine. A free lock proves that its owner has ended
// only if it was taken since this boot of this machine: home directories may be shared between machines whose locks are
// not shared. Empty if the kernel does not provide the id.
[[nodiscard]] std::string lock_owner();
inline constexpr std::size_t kLongestLockOwner = 64;
[[nodiscard]] bool master_lives(const JobFolder& folder);

}  // namespace ydl::jobs

#pragma once

#include "agent/files/results_store.hpp"
#include "agent/files/saves_store.hpp"
#include "agent/files/tree_copy.hpp"
#include "agent/task_context.hpp"
#include "core/result.hpp"
#include "net/asio.hpp"
#include "protocol/commands.hpp"

#include <optional>
#include <string>

namespace ydl::agent {

// Restores what earlier attempts left: the task's own results or save into its results folder, and the files in
// YDL_RESTORE_DIR. docs/checkpoints.md describes this for users. The task owns the objects that it refers to.
class Restoring {
 public:
  Restoring(const TaskContext& context, const protocol::Prepare& request, Copying& copying)
      : context_(context), request_(request), copying_(copying) {}

  // Call this if the attempt with the number `earlier` used the same results folder and left these results in it.
  void follow(int earlier, ResultsStamp results);
  // Downloads the files if the request names folders in HDFS. While HDFS does not answer, it tries again for the
  // patience of `copying`. Errors: those of FileSystem, io; never not_found.
  [[nodiscard]] net::Async<> fetch();
  // The same on one machine, where no files are copied.
  void find_here();

  // Identifies the results in HDFS of earlier attempts.
  [[nodiscard]] const ResultsStamp& fetched_results() const { return fetched_results_; }
  // The folder that the task continues from; empty if there is none.
  [[nodiscard]] const std::string& directory() const { return directory_; }

 private:
  // The files of one task in HDFS; `save` is used if it is newer than the results.
  struct Found {
    std::optional<SaveManifest> save;
    std::optional<ResultsStamp> results;
  };

  [[nodiscard]] net::Async<> fetch_once();
  [[nodiscard]] net::Async<> fetch_own();
  [[nodiscard]] net::Async<> fetch_own_once();
  [[nodiscard]] net::Async<bool> fetch_other(protocol::Restorable from);
  [[nodiscard]] net::Async<bool> fetch_other_once(const protocol::Restorable& from);
  [[nodiscard]] net::Async<Found> find(const protocol::Restorable& from, SetAside aside);
  [[nodiscard]] net::Async<std::optional<SaveManifest>> find_save(const std::string& folder, SetAside aside);
  [[nodiscard]] bool is_own(const protocol::Restorable& from) const;
  void tell(std::string text) const;

  const TaskContext& context_;
  const protocol::Prepare& request_;
  Copying& copying_;
  int earlier_ = 0;  // 0: no earlier attempt used the results folder
  ResultsStamp results_here_;
  ResultsStamp fetched_results_;
  std::string directory_;
};

}  // namespace ydl::agent

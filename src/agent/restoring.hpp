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

// What an attempt finds of earlier ones: its own results or save in its results folder, and what YDL_RESTORE_DIR names.
// docs/checkpoints.md tells users about it. Its task owns what it refers to.
class Restoring {
 public:
  Restoring(const TaskContext& context, const protocol::Prepare& request, Copying& copying)
      : context_(context), request_(request), copying_(copying) {}

  // The results folder is the one that attempt number `earlier` had, with these results.
  void follow(int earlier, ResultsStamp results);
  // From HDFS, where the request says so; while it does not answer it is asked again, as long as `copying` has
  // patience. Errors: those of FileSystem, io; never not_found.
  [[nodiscard]] net::Async<> fetch();
  // The same on one machine, where nothing is copied.
  void find_here();

  // Which results earlier attempts had left on HDFS.
  [[nodiscard]] const ResultsStamp& fetched_results() const { return fetched_results_; }
  // What the task continues from; empty: nothing.
  [[nodiscard]] const std::string& directory() const { return directory_; }

 private:
  // What is there of one task, of which `save` counts if it is newer.
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
  int earlier_ = 0;  // 0: nobody had the results folder before
  ResultsStamp results_here_;
  ResultsStamp fetched_results_;
  std::string directory_;
};

}  // namespace ydl::agent

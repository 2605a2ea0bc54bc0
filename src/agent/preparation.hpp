#pragma once

#include "agent/earlier_attempt.hpp"
#include "agent/files/node_environments.hpp"
#include "agent/files/results_store.hpp"
#include "agent/files/tree_copy.hpp"
#include "agent/files/workspace.hpp"
#include "agent/image/task_image.hpp"
#include "agent/resources/task_resources.hpp"
#include "agent/restoring.hpp"
#include "agent/task_context.hpp"
#include "core/result.hpp"
#include "net/asio.hpp"
#include "protocol/commands.hpp"

#include <memory>
#include <vector>

namespace ydl::agent {

// Provides what a task needs before its launch: image, inputs, earlier results, directories and resources. The task
// owns the objects that it refers to.
//
//   check ──> follow, after an earlier attempt here ──> fetch, if takes_long() ──> finish
class Preparation {
 public:
  Preparation(const TaskContext& context, protocol::Prepare& request, TaskResources& resources, const TaskImage& image,
              Copying& copying)
      : context_(context),
        request_(request),
        resources_(resources),
        image_(image),
        copying_(copying),
        restoring_(context, request, copying) {}

  // Errors: the task cannot run on this machine.
  [[nodiscard]] core::Result<void> check() const;
  // Whether fetch() is needed: downloads, an image or GPUs, which must not block the event loop.
  [[nodiscard]] bool takes_long() const;
  // Moves away what the earlier attempt left in the directories that this one uses now. Errors: those of
  // put_earlier_aside.
  [[nodiscard]] net::Async<> follow(const EarlierAttempt& earlier);
  // Gets the image, the Python environment, inputs and earlier results from HDFS, and GPUs. Errors: those of its parts.
  [[nodiscard]] net::Async<> fetch();
  // Makes directories and links, holds ports, and sets limits. Errors: those of prepare_workspace and TaskResources.
  [[nodiscard]] net::Async<> finish(std::shared_ptr<DirectoryListings> listings);

  // Identifies the results in HDFS of earlier attempts.
  [[nodiscard]] const ResultsStamp& fetched_results() const { return restoring_.fetched_results(); }
  // The folder that the task continues from; empty if there is none.
  [[nodiscard]] const std::string& restore_directory() const { return restoring_.directory(); }

 private:
  [[nodiscard]] bool needs_hdfs() const;
  [[nodiscard]] net::Async<> fetch_from_hdfs();
  [[nodiscard]] net::Async<> fetch_inputs();
  [[nodiscard]] net::Async<> unpack();

  const TaskContext& context_;
  protocol::Prepare& request_;
  TaskResources& resources_;
  const TaskImage& image_;
  Copying& copying_;
  Restoring restoring_;
  std::vector<core::UniqueFd> environment_locks_;  // of unpacked folders that the task uses
};

}  // namespace ydl::agent

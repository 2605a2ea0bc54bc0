#pragma once

#include "agent/earlier_attempt.hpp"
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

namespace ydl::agent {

// All that must be there before a task can be launched: image, inputs, earlier results, directories, resources. Its
// task owns what it refers to.
//
//   check ──> follow, where there was another here ──> fetch, where that takes long ──> finish
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
  // Whether there is something to fetch or to look up outside the loop.
  [[nodiscard]] bool takes_long() const;
  // Puts aside what the earlier attempt left in directories that are now this one's. Errors: those of
  // put_earlier_aside.
  [[nodiscard]] net::Async<> follow(const EarlierAttempt& earlier);
  // The image, inputs and earlier results from HDFS, and GPUs. Errors: those of its parts.
  [[nodiscard]] net::Async<> fetch();
  // Directories, links, ports and limits. Errors: those of prepare_workspace and TaskResources.
  [[nodiscard]] net::Async<> finish(std::shared_ptr<DirectoryListings> listings);

  // Which results earlier attempts had left on HDFS.
  [[nodiscard]] const ResultsStamp& fetched_results() const { return restoring_.fetched_results(); }
  // What the task continues from; empty: nothing.
  [[nodiscard]] const std::string& restore_directory() const { return restoring_.directory(); }

 private:
  [[nodiscard]] bool needs_hdfs() const;
  [[nodiscard]] net::Async<> fetch_from_hdfs();
  [[nodiscard]] net::Async<> fetch_inputs();

  const TaskContext& context_;
  protocol::Prepare& request_;
  TaskResources& resources_;
  const TaskImage& image_;
  Copying& copying_;
  Restoring restoring_;
};

}  // namespace ydl::agent

#pragma once

#include "agent/resources/machine.hpp"
#include "core/clock.hpp"
#include "hdfs/file_system.hpp"
#include "hdfs/file_systems.hpp"
#include "net/asio.hpp"
#include "protocol/reports.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace ydl::agent {

using ReportSink = std::function<void(protocol::Report)>;

// What all tasks of an agent share.
struct Surroundings {
  std::string wrong_place;  // why no task may run here: the container does not run in the requested image
  std::string job;          // names their cgroups
  bool own_group = true;    // LaunchRequest::own_group
  // All attempts use the same directories, those of a container. So each attempt moves away what the one before it
  // left.
  bool renews_directories = false;
  std::string home = {};                      // HOME for tasks, if the agent's own HOME is not usable
  std::string hadoop_user = {};               // TaskPlace::hadoop_user
  std::string token_file = {};                // Hadoop's tokens for tasks in images; empty if there are none
  hdfs::FileSystem* hdfs = nullptr;           // the default file system; null: all files stay on this machine
  hdfs::FileSystems* file_systems = nullptr;  // all file systems by URL; null if `hdfs` is null
  core::Millis hdfs_patience = std::chrono::minutes(5);  // how long to try to save results
  core::Millis agent_silence = core::Seconds(30);        // LaunchRequest::agent_silence
};

// What the parts of one task share. All of it outlives the task.
struct TaskContext {
  net::asio::any_io_executor executor;
  Machine& machine;
  const Surroundings& surroundings;
  ReportSink report;
};

}  // namespace ydl::agent

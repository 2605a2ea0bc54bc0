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

// What an agent tells all its tasks.
struct Surroundings {
  std::string wrong_place;  // why no task may run here: the container is not in the image that was asked for
  std::string job;          // names their cgroups
  bool own_group = true;    // LaunchRequest::own_group
  // All attempts have the same directories, those of a container: what one leaves there is put aside for the next.
  bool renews_directories = false;
  std::string home = {};                                 // for tasks, where the agent has no HOME that could be one
  std::string hadoop_user = {};                          // TaskPlace::hadoop_user
  std::string token_file = {};                           // Hadoop's tokens for tasks in images; empty: there are none
  hdfs::FileSystem* hdfs = nullptr;                      // the default one; none: nothing leaves this machine
  hdfs::FileSystems* file_systems = nullptr;             // that one and others, by URL; there where `hdfs` is
  core::Millis hdfs_patience = std::chrono::minutes(5);  // how long results are tried to be saved
  core::Millis agent_silence = core::Seconds(30);        // LaunchRequest::agent_silence
};

// What the parts of one task share. The agent outlives its tasks.
struct TaskContext {
  net::asio::any_io_executor executor;
  Machine& machine;
  const Surroundings& surroundings;
  ReportSink report;
};

}  // namespace ydl::agent

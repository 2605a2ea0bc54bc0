#pragma once

#include "core/result.hpp"
#include "http/server.hpp"
#include "master/master.hpp"
#include "master/plan.hpp"
#include "master/process.hpp"

#include <string_view>

// The parts of the master process that are the same for all kinds.
namespace ydl::master {

void begin_master_process();

struct PreparedJob {
  jobs::JobFile job;
  JobPlan plan;
};
// Reads the job of a folder, and locks the folder until this process ends.
[[nodiscard]] core::Result<PreparedJob> prepare_job(const jobs::JobFolder& folder, const FindCommand& find_command);

// Errors: no_capacity, if a process cannot open enough descriptors for the job's tasks. If each task has its own agent,
// this is the master. If one agent has all tasks, it is that agent, which has the same limit as the master.
[[nodiscard]] core::Result<void> check_descriptors_of_master(const JobPlan& plan);
[[nodiscard]] core::Result<void> check_descriptors_of_agent(const JobPlan& plan);

// Writes one line to the parent process, "ready" or "error " and a sentence, and closes the pipe.
void report_start(std::string_view line);

// Runs the job until it has ended and the last calls are answered. Returns the exit code.
[[nodiscard]] int run_to_the_end(net::asio::io_context& context, Master& master, http::Server& server,
                                 Attachment attachment);

}  // namespace ydl::master

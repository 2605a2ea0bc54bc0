#pragma once

#include "core/result.hpp"
#include "http/server.hpp"
#include "master/master.hpp"
#include "master/plan.hpp"
#include "master/process.hpp"

#include <string_view>

// What the master's process does in the same way wherever it runs.
namespace ydl::master {

void begin_master_process();

struct PreparedJob {
  jobs::JobFile job;
  JobPlan plan;
};
// The job of a folder, which is locked for the life of this process.
[[nodiscard]] core::Result<PreparedJob> prepare_job(const jobs::JobFolder& folder, const FindCommand& find_command);

// Errors (no_capacity): a process could not open all that the job's tasks need of it. Where each task has an agent of
// its own, that is the master; where one agent has them all, it is that one, whose limit is the master's.
[[nodiscard]] core::Result<void> check_descriptors_of_master(const JobPlan& plan);
[[nodiscard]] core::Result<void> check_descriptors_of_agent(const JobPlan& plan);

// Says one line to whoever started us, "ready" or "error " and a sentence, and lets go of the pipe.
void report_start(std::string_view line);

// Runs the job until it has ended and the last calls are answered; the exit code.
[[nodiscard]] int run_to_the_end(net::asio::io_context& context, Master& master, http::Server& server,
                                 Attachment attachment);

}  // namespace ydl::master

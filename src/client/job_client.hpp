#pragma once

#include "jobs/job_folder.hpp"
#include "net/http_client.hpp"
#include "ui/model.hpp"

#include <cstdint>
#include <string>

namespace ydl::client {

// The client of a running job's master. Errors: unavailable, if the master has ended; the errors of the API.
class JobClient {
 public:
  JobClient(const net::asio::any_io_executor& executor, net::Endpoint endpoint)
      : client_(executor, std::move(endpoint), kLargestAnswer) {}

  [[nodiscard]] net::Async<ui::JobView> job();
  [[nodiscard]] net::Async<std::vector<ui::EventView>> events(std::uint64_t after, core::Millis wait);
  // A piece of a task's log; empty if there is no more yet.
  [[nodiscard]] net::Async<std::string> log(core::AttemptId attempt, std::string stream, std::uint64_t offset);
  [[nodiscard]] net::Async<> stop(std::string by, std::optional<core::Millis> grace);

 private:
  // Decoded JSON needs up to 20 times as much memory. A master sends at most 4 MiB of events or 1 MiB of a log at a
  // time, and the view of 10,000 tasks has 5 MiB.
  static constexpr std::uint64_t kLargestAnswer = 16ULL << 20U;

  net::HttpClient client_;
};

// "ann at edge1", as in the job's events.
[[nodiscard]] std::string who_am_i();

}  // namespace ydl::client

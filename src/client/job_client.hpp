#pragma once

#include "jobs/job_folder.hpp"
#include "net/http_client.hpp"
#include "ui/model.hpp"

#include <cstdint>
#include <string>

namespace ydl::client {

// A running job's master, as a client sees it. Errors: unavailable when the master is gone, the API's own sentences.
class JobClient {
 public:
  JobClient(const net::asio::any_io_executor& executor, net::Endpoint endpoint)
      : client_(executor, std::move(endpoint), kLargestAnswer) {}

  [[nodiscard]] net::Async<ui::JobView> job();
  [[nodiscard]] net::Async<std::vector<ui::EventView>> events(std::uint64_t after, core::Millis wait);
  // A piece of a task's log; empty: there is nothing more yet.
  [[nodiscard]] net::Async<std::string> log(core::AttemptId attempt, std::string stream, std::uint64_t offset);
  [[nodiscard]] net::Async<> stop(std::string by, std::optional<core::Millis> grace);

 private:
  // Decoded JSON takes up to 20 times its bytes. A master sends 4 MiB of events and 1 MiB of a log at a time, and the
  // view of 10,000 tasks has 5 MiB.
  static constexpr std::uint64_t kLargestAnswer = 16ULL << 20U;

  net::HttpClient client_;
};

// "ann at edge1", for the job's records.
[[nodiscard]] std::string who_am_i();

}  // namespace ydl::client

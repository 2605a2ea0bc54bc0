#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/job_client.hpp"
#include "cli/views.hpp"
#include "net/endpoint_file.hpp"

#include <fmt/format.h>

namespace ydl::cli {
namespace {

// Asks the master to stop the job and waits until it is gone.
net::awaitable<void> stop(const master::JobFolder& folder, net::Endpoint endpoint, std::optional<core::Millis> grace,
                          core::Result<void>& done) {
  JobClient client(co_await net::asio::this_coro::executor, std::move(endpoint));
  done = co_await client.stop(who_am_i(), grace);
  if (!done) co_return;
  while (master::master_lives(folder)) co_await net::pause(core::Millis(20));
}

}  // namespace

int execute(const Kill& command) {
  const auto folder = folder_of(command.job);
  if (!folder) return complain(folder.error());
  const auto id = folder->id().str();
  if (!master::master_lives(*folder)) {
    const auto view = stored_job_view(*folder);
    const auto how = !view ? "cannot be read" : view->state == "lost" ? "was lost" : view->state;
    return complain({make_error_code(core::Errc::refused), fmt::format("job {} is not running: it {}", id, how)});
  }
  auto endpoint = net::read_endpoint(folder->master_file());
  if (!endpoint) return complain(endpoint.error());
  net::asio::io_context context(1);
  core::Result<void> done;
  net::asio::co_spawn(context, stop(*folder, *std::move(endpoint), command.grace, done), net::asio::detached);
  context.run();
  if (!done) return complain(done.error());
  const auto view = stored_job_view(*folder);
  print(fmt::format("{} {}\n", id, view ? view->state : "ended"));
  return 0;
}

}  // namespace ydl::cli

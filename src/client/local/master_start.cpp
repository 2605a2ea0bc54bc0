#include "client/local/master_start.hpp"

#include "core/strings.hpp"
#include "net/child_process.hpp"

#include <array>

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <fmt/format.h>

namespace ydl::client {

using core::fail;

net::Async<core::UniqueFd> start_master(jobs::JobFolder folder, MasterStart start, std::function<void()> meanwhile) {
  auto lifeline = core::make_pipe();
  auto answer = core::make_pipe();
  if (!lifeline) co_return fail(lifeline.error());
  if (!answer) co_return fail(answer.error());
  net::SpawnOptions spawn;
  spawn.executable = net::kOwnExecutable;
  spawn.argv = {"ydl", "__master", "--master", std::string(start.kind.name), "--folder", folder.root().string()};
  if (start.attachment == master::Attachment::detached)
    spawn.argv.emplace_back("--detached");
  else
    spawn.standard_input = std::move(lifeline->read);
  spawn.standard_output = std::move(answer->write);
  spawn.log_file = folder.master_log();
  spawn.handed_over = std::move(start.lock);
  if (auto process = net::ChildProcess::spawn(std::move(spawn)); !process) co_return fail(process.error());
  if (meanwhile) meanwhile();

  // This does not block in read(), so that the loop can handle signals meanwhile.
  net::asio::posix::stream_descriptor input(co_await net::asio::this_coro::executor, answer->read.release());
  std::string line;
  std::array<char, 4096> buffer{};
  for (;;) {
    const auto [error, size] = co_await input.async_read_some(net::asio::buffer(buffer), net::tuple);
    line.append(buffer.data(), size);
    if (error) break;
  }
  if (line.starts_with("ready")) co_return std::move(lifeline->write);
  if (line.starts_with("error ")) co_return fail(core::Errc::refused, std::string(core::trim(line.substr(6))));
  co_return fail(core::Errc::io,
                 fmt::format("the job's master did not start; its log is {}", folder.master_log().string()));
}

}  // namespace ydl::client

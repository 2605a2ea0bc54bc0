#include "client/local/master_start.hpp"

#include "core/strings.hpp"
#include "net/child_process.hpp"

#include <array>
#include <cerrno>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::client {

using core::fail;

core::Result<core::UniqueFd> start_master(const jobs::JobFolder& folder, MasterStart start,
                                          const std::function<void()>& meanwhile) {
  auto leash = core::make_pipe();
  auto answer = core::make_pipe();
  if (!leash) return fail(leash.error());
  if (!answer) return fail(answer.error());
  net::SpawnOptions spawn;
  spawn.executable = net::kOwnExecutable;
  spawn.argv = {"ydl", "__master", "--master", std::string(start.kind.name), "--folder", folder.root().string()};
  if (start.attachment == master::Attachment::detached)
    spawn.argv.emplace_back("--detached");
  else
    spawn.standard_input = std::move(leash->read);
  spawn.standard_output = std::move(answer->write);
  spawn.log_file = folder.master_log();
  if (auto process = net::ChildProcess::spawn(std::move(spawn)); !process) return fail(process.error());
  if (meanwhile) meanwhile();

  std::string line;
  std::array<char, 4096> buffer{};
  for (;;) {
    const auto n = ::read(answer->read.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    line.append(buffer.data(), static_cast<std::size_t>(n));
  }
  if (line.starts_with("ready")) return std::move(leash->write);
  if (line.starts_with("error ")) return fail(core::Errc::io, std::string(core::trim(line.substr(6))));
  return fail(core::Errc::io,
              fmt::format("the job's master did not start; its log is {}", folder.master_log().string()));
}

}  // namespace ydl::client
